package render

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// DialFunc opens a connection to hostPort, a name or an address with a port, and refuses forbidden targets. The reason of a
// *fetch.Error is passed on.
type DialFunc func(ctx context.Context, hostPort string) (net.Conn, error)

// RoomFunc waits for memory for a part of a result of at most bytesMax. Call taken once, with the actual number of bytes.
type RoomFunc func(ctx context.Context, bytesMax int64) (taken func(bytes int64), err error)

// Job is one page to render.
type Job struct {
	URL fetch.URL
	// Dial is the job's only way to the network, with the guard and the proxy of its country. It is required: there is no
	// safe default.
	Dial DialFunc
	// Enter waits for a turn at the host of the document, and of each document that it redirects or navigates to; one turn
	// is held at a time. Nil: nothing waits.
	Enter EnterFunc
	// Room is called before each part of the result is read from the browser. Nil: nothing waits.
	Room RoomFunc
	// Session provides the page's cookies and receives those at the end. Nil: there are none.
	Session *fetch.Session
	// Screen is 1024 by 768 if zero.
	Screen Screen
	// Wait is the pause after the page has settled, before the actions. At most a minute.
	Wait    time.Duration
	Actions []Action
	// Screenshot requests a picture.
	Screenshot *Screenshot
	// PDF requests the page printed on A4.
	PDF bool
	// HTMLBytesMax limits Result.HTML below Config.ResultBytesMax. Default: that.
	HTMLBytesMax int
}

// Screen is a size in CSS pixels, with one device pixel each.
type Screen struct {
	Width, Height int
	// Mobile applies the page's viewport tag and emulates a touch screen.
	Mobile bool
}

// Predefined screens.
var (
	ScreenDefault = Screen{Width: 1024, Height: 768}
	ScreenMobile  = Screen{Width: 414, Height: 896, Mobile: true}
	ScreenDesktop = Screen{Width: 1920, Height: 1080}
)

// screenSideMax is the maximum texture size of the software renderer.
const screenSideMax = 8192

// Screenshot requests a PNG of the visible screen, or of the whole page.
type Screenshot struct {
	// FullPage captures the page in full height, up to 16,384 pixels.
	FullPage bool
}

// ActionKind is the kind of an action.
type ActionKind string

// The kinds of action.
const (
	ActionWait      ActionKind = "wait"
	ActionClick     ActionKind = "click"
	ActionFillInput ActionKind = "fill_input"
	ActionScroll    ActionKind = "scroll"
)

// Direction is a scroll direction.
type Direction string

// The directions.
const (
	ScrollUp    Direction = "up"
	ScrollDown  Direction = "down"
	ScrollLeft  Direction = "left"
	ScrollRight Direction = "right"
)

// Action is one action on a page. The page settles after each.
type Action struct {
	Kind ActionKind
	// Selector is a CSS selector, for ActionClick and ActionFillInput. The first match is used, once there is one.
	Selector string
	// Value is the text with which ActionFillInput replaces the present one.
	Value string
	// Direction and Amount, in CSS pixels, are for ActionScroll.
	Direction Direction
	Amount    int
	// Duration is for ActionWait, at most a minute.
	Duration time.Duration
}

const (
	actionsMax      = 100
	selectorMax     = 4 << 10
	valueMax        = 1 << 20
	scrollMax       = 1_000_000
	waitMax         = time.Minute
	pictureSideMax  = 16_384
	refusedShownMax = 100
)

// Result is the final state of a page.
type Result struct {
	// URL is the document's URL, after redirects and navigation by scripts.
	URL        fetch.URL
	StatusCode int
	Header     http.Header
	// MediaType is the document's media type, as the target sent it or the browser sniffed it.
	MediaType string
	// HTML is the serialised document, with its doctype.
	HTML []byte
	// Screenshot is a PNG, PDF a print; nil unless requested.
	Screenshot, PDF []byte
	// Blocked is how many connections to hosts of adverts and trackers were refused.
	Blocked int
	// Refused are the hosts with ports, sorted, that the guard refused for requests of the page; at most 100.
	Refused []string
}

// Validate returns all faults at once.
func (j Job) Validate() error {
	var errs []error
	if j.URL.IsZero() {
		errs = append(errs, errors.New("URL is empty"))
	}
	if j.Dial == nil {
		errs = append(errs, errors.New("Dial must be set"))
	}
	if j.Screen != (Screen{}) {
		for _, side := range []struct {
			name  string
			value int
		}{{"Width", j.Screen.Width}, {"Height", j.Screen.Height}} {
			if side.value < 1 || side.value > screenSideMax {
				errs = append(errs, fmt.Errorf("Screen.%s must be between 1 and %d", side.name, screenSideMax))
			}
		}
	}
	if j.Wait < 0 || j.Wait > waitMax {
		errs = append(errs, fmt.Errorf("Wait must be between 0 and %s", waitMax))
	}
	if j.HTMLBytesMax < 0 {
		errs = append(errs, errors.New("HTMLBytesMax must not be negative"))
	}
	if len(j.Actions) > actionsMax {
		return errors.Join(append(errs, fmt.Errorf("there are %d Actions, but at most %d are allowed", len(j.Actions), actionsMax))...)
	}
	for i, action := range j.Actions {
		if err := action.validate(); err != nil {
			errs = append(errs, fmt.Errorf("Actions[%d]: %w", i, err))
		}
	}
	return errors.Join(errs...)
}

func (a Action) validate() error {
	switch a.Kind {
	case ActionWait:
		if a.Duration < 0 || a.Duration > waitMax {
			return fmt.Errorf("Duration must be between 0 and %s", waitMax)
		}
	case ActionClick, ActionFillInput:
		if a.Selector == "" || len(a.Selector) > selectorMax {
			return fmt.Errorf("Selector must have 1 to %d bytes", selectorMax)
		}
		if len(a.Value) > valueMax {
			return fmt.Errorf("Value must have at most %d bytes", valueMax)
		}
	case ActionScroll:
		if _, _, ok := a.by(); !ok {
			return fmt.Errorf("Direction %q must be up, down, left or right", a.Direction)
		}
		if a.Amount < 0 || a.Amount > scrollMax {
			return fmt.Errorf("Amount must be between 0 and %d", scrollMax)
		}
	default:
		return fmt.Errorf("Kind %q must be wait, click, fill_input or scroll", a.Kind)
	}
	return nil
}

// by returns how far a scroll goes to the right and down.
func (a Action) by() (right, down int, ok bool) {
	switch a.Direction {
	case ScrollUp:
		return 0, -a.Amount, true
	case ScrollDown:
		return 0, a.Amount, true
	case ScrollLeft:
		return -a.Amount, 0, true
	case ScrollRight:
		return a.Amount, 0, true
	default:
		return 0, 0, false
	}
}
