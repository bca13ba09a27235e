package paging

import "fmt"

// List is the part that all lists have in common. A list to which the service contract gives other names has these beside
// them.
type List[T any] struct {
	Object     string  `json:"object" enum:"list"`
	Data       []T     `json:"data" nullable:"false" doc:"The items of this page."`
	HasMore    bool    `json:"has_more" doc:"Whether more items can be read now."`
	NextCursor *string `json:"next_cursor" doc:"The cursor for the next page. Null if nothing follows. If more items may follow later, it is set although has_more is false."`
}

// Page is a [List] that also has its cursor by the contract's name: a number if items are numbered, otherwise a string.
type Page[T any, C int32 | string] struct {
	List[T]

	Cursor *C `json:"cursor,omitempty" doc:"The same as next_cursor. Absent if nothing follows."`
}

// Whole returns a list without further pages.
func Whole[T any](data []T) List[T] {
	if data == nil {
		data = []T{} // null in JSON otherwise
	}
	return List[T]{Object: "list", Data: data}
}

// NewPage returns a page of a list. next is nil if nothing follows; more is whether items follow that can be read now.
func NewPage[T any, C int32 | string](data []T, more bool, next *C) Page[T, C] {
	page := Page[T, C]{List: Whole(data), Cursor: next}
	page.HasMore = more
	if next != nil {
		text := fmt.Sprint(*next)
		page.NextCursor = &text
	}
	return page
}
