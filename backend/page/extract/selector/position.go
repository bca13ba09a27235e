package selector

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// position is one of the pseudo-classes for an element's place among its siblings (Selectors 4, section 14): the a·n+b-th
// from the front or the back, of all or of those of its name.
type position struct {
	a, b         int
	last, ofType bool
	not          bool
}

// place is an element's number from the front, from 1, and how many there are.
type place struct{ at, of int }

func (p position) match(all, likeNamed place) bool {
	where := all
	if p.ofType {
		where = likeNamed
	}
	if where.at == 0 { // without a parent there is no place
		return p.not
	}
	i := where.at
	if p.last {
		i = where.of - i + 1
	}
	return p.holds(i) != p.not
}

func (p position) holds(i int) bool {
	if i -= p.b; p.a == 0 {
		return i == 0
	}
	return i%p.a == 0 && i/p.a >= 0
}

var formula = regexp.MustCompile(`^(?:([+-]?[0-9]*)n(?:\s*([+-])\s*([0-9]+))?|([+-]?[0-9]+))$`)

// positionsOf returns the positions of a pseudo-class; nil if it is not about positions.
func positionsOf(p pseudo) ([]position, error) {
	ofType := strings.HasSuffix(p.name, "-of-type")
	first, last := position{b: 1, ofType: ofType}, position{b: 1, ofType: ofType, last: true}
	switch p.name {
	case "first-child", "first-of-type":
		return []position{first}, nil
	case "last-child", "last-of-type":
		return []position{last}, nil
	case "only-child", "only-of-type":
		return []position{first, last}, nil
	case "nth-child", "nth-of-type", "nth-last-child", "nth-last-of-type":
	default:
		return nil, nil
	}
	out := position{ofType: ofType, last: strings.HasPrefix(p.name, "nth-last")}
	text := strings.ToLower(strings.TrimSpace(p.argument))
	switch text {
	case "odd":
		out.a, out.b = 2, 1
		return []position{out}, nil
	case "even":
		out.a = 2
		return []position{out}, nil
	}
	found := formula.FindStringSubmatch(text)
	if found == nil {
		return nil, fmt.Errorf("has :%s(%s), where only odd, even or a formula such as 2n+1 is allowed", p.name, p.argument)
	}
	for _, number := range []struct {
		text string
		to   *int
	}{{implied(found[1], text), &out.a}, {found[2] + found[3], &out.b}, {found[4], &out.b}} {
		if number.text == "" {
			continue
		}
		n, err := strconv.Atoi(number.text)
		if err != nil {
			return nil, fmt.Errorf("has :%s(%s), whose number is too large", p.name, p.argument)
		}
		*number.to = n
	}
	return []position{out}, nil
}

// implied is the number before n, which may be left out.
func implied(number, text string) string {
	if strings.ContainsRune(text, 'n') && (number == "" || number == "+" || number == "-") {
		return number + "1"
	}
	return number
}
