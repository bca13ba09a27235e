package x402

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonReader reads one JSON text (RFC 8259) in one pass and without reflection, which took most of the time of reading
// a payment. It is stricter than encoding/json, so that no two readers understand a text differently: an object must
// not repeat a member or spell it in another case, and strings must be valid Unicode.
//
// Values are slices of the text, so they keep it in memory.
type jsonReader struct {
	text  string
	pos   int
	depth int
	// names[:known] are the member names of all open objects read so far, the innermost last. It is an array because a
	// slice would be allocated on the heap.
	names [jsonLinearMax]string
	known int
	room  *jsonRoom
}

// jsonRoom holds all objects of a payment in one allocation. Each occurs once, since members cannot repeat.
type jsonRoom struct {
	payload       Payload
	authorization WireAuthorization
	accepted      RequirementsV2
}

const (
	// jsonDepthMax limits the nesting of skipped values.
	jsonDepthMax = 64
	// jsonLinearMax is how many member names are compared one by one with a new one; beyond it, a map is used.
	jsonLinearMax = 16
)

// jsonObject is a target for a JSON object.
type jsonObject interface {
	// member returns a pointer to the member's target, or nil for an unknown member. [jsonReader.value] lists the
	// supported types.
	member(name string) any
	// names lists the members for which member is not nil.
	names() []string
}

// faultyJSON says where and why a text is not valid.
type faultyJSON struct {
	offset int    // of the byte, from 1
	path   string // of the member
	what   string // what is wrong with the member; empty: the text is not JSON
}

func (e *faultyJSON) Error() string {
	switch {
	case e.what == "":
		return fmt.Sprintf("want base64 of a JSON object: byte %d is not valid JSON", e.offset)
	case e.path == "":
		return "want a JSON object, got a " + e.what
	default:
		return "member " + Clip(e.path) + " " + e.what
	}
}

// members is a target whose members a function knows.
type members struct {
	known  []string
	target func(name string) any
}

func (m *members) member(name string) any { return m.target(name) }
func (m *members) names() []string        { return m.known }

// ReadObject reads a text that is one object or null. member returns a pointer to the target of each of these names, and
// nil for other names.
func ReadObject(text string, names []string, member func(name string) any) error {
	if fault := readJSON(text, &members{names, member}); fault != nil {
		return fault
	}
	return nil
}

// readJSON reads a text that is one object or null into an object. It returns a plain *faultyJSON, or nil on success.
func readJSON(text string, into jsonObject) *faultyJSON {
	r := jsonReader{text: text}
	r.space()
	var fault *faultyJSON
	if r.peek() == 'n' {
		fault = r.literal("null")
	} else {
		fault = r.object(into)
	}
	if fault != nil {
		return fault
	}
	r.space()
	if r.pos != len(text) {
		return r.invalid()
	}
	return nil
}

func (r *jsonReader) invalid() *faultyJSON { return &faultyJSON{offset: r.pos + 1} }

// wrongType returns the fault of a value that has the wrong type for its member.
func (r *jsonReader) wrongType() *faultyJSON {
	start := r.pos
	kind := "value"
	switch r.peek() {
	case '{':
		kind = "object"
	case '[':
		kind = "array"
	case '"':
		kind = "string"
	case 't', 'f':
		kind = "bool"
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		kind = "number"
	}
	if fault := r.skip(); fault != nil {
		return fault
	}
	if kind == "number" {
		kind += " " + Clip(r.text[start:r.pos])
	}
	return &faultyJSON{offset: start + 1, what: kind}
}

// peek returns the next byte, or 0 at the end; 0 is not valid JSON either.
func (r *jsonReader) peek() byte {
	if r.pos < len(r.text) {
		return r.text[r.pos]
	}
	return 0
}

func (r *jsonReader) space() {
	for r.pos < len(r.text) {
		switch r.text[r.pos] {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return
		}
	}
}

func (r *jsonReader) literal(word string) *faultyJSON {
	if !strings.HasPrefix(r.text[r.pos:], word) {
		return r.invalid()
	}
	r.pos += len(word)
	return nil
}

// object reads an object's members into their targets, and skips unknown ones.
func (r *jsonReader) object(into jsonObject) *faultyJSON {
	if r.peek() != '{' {
		return r.wrongType()
	}
	return r.members(func(name string) *faultyJSON {
		target := into.member(name)
		if target == nil {
			for _, known := range into.names() {
				if strings.EqualFold(known, name) {
					return &faultyJSON{what: "is misspelled: want " + known}
				}
			}
			return r.skip()
		}
		return r.value(target)
	})
}

// members reads an object; its opening brace is the next byte.
func (r *jsonReader) members(read func(name string) *faultyJSON) *faultyJSON {
	outer := r.known
	var seen map[string]struct{}
	more, fault := r.enter('}')
	for ; more; more, fault = r.next('}') {
		if r.peek() != '"' {
			return r.invalid()
		}
		name, fault := r.string()
		if fault != nil {
			return fault
		}
		if r.repeats(name, outer, &seen) {
			return &faultyJSON{path: name, what: "appears more than once"}
		}
		if r.space(); r.peek() != ':' {
			return r.invalid()
		}
		r.pos++
		r.space()
		if fault := read(name); fault != nil {
			return fault.within(name)
		}
	}
	r.known = outer
	return fault
}

// within prepends the name of the enclosing member to the fault's path.
func (e *faultyJSON) within(name string) *faultyJSON {
	switch {
	case e.what == "":
	case e.path == "" && !strings.HasPrefix(e.what, "is "):
		e.path, e.what = name, "has the wrong type: "+e.what
	case e.path == "":
		e.path = name
	default:
		e.path = name + "." + e.path
	}
	return e
}

// repeats reports whether the object whose names start at outer has the name already, and adds it.
func (r *jsonReader) repeats(name string, outer int, seen *map[string]struct{}) bool {
	if *seen == nil {
		if slices.Contains(r.names[outer:r.known], name) {
			return true
		}
		if r.known < jsonLinearMax {
			r.names[r.known] = name
			r.known++
			return false
		}
		*seen = make(map[string]struct{}, jsonLinearMax)
		for _, earlier := range r.names[outer:] {
			(*seen)[earlier] = struct{}{}
		}
	}
	if _, again := (*seen)[name]; again {
		return true
	}
	(*seen)[name] = struct{}{}
	return false
}

// elements reads an array; its opening bracket is the next byte.
func (r *jsonReader) elements(read func() *faultyJSON) *faultyJSON {
	more, fault := r.enter(']')
	for ; more; more, fault = r.next(']') {
		if fault := read(); fault != nil {
			return fault
		}
	}
	return fault
}

// enter reads an opening bracket, and the closing one if nothing is between them. Otherwise more is true.
func (r *jsonReader) enter(end byte) (more bool, fault *faultyJSON) {
	if r.depth++; r.depth > jsonDepthMax {
		return false, r.invalid()
	}
	r.pos++
	r.space()
	return !r.leaves(end), nil
}

// next reads what follows an element: a comma (more is true) or the closing bracket.
func (r *jsonReader) next(end byte) (more bool, fault *faultyJSON) {
	r.space()
	if r.peek() == ',' {
		r.pos++
		r.space()
		return true, nil
	}
	if !r.leaves(end) {
		return false, r.invalid()
	}
	return false, nil
}

// leaves reads a closing bracket if it is the next byte.
func (r *jsonReader) leaves(end byte) bool {
	if r.peek() != end {
		return false
	}
	r.pos++
	r.depth--
	return true
}

// value reads a value into the variable that target points to. A null leaves it unchanged.
func (r *jsonReader) value(target any) (fault *faultyJSON) {
	if t, ok := target.(*json.RawMessage); ok {
		start := r.pos
		fault := r.skip()
		*t = json.RawMessage(r.text[start:r.pos])
		return fault
	}
	if r.peek() == 'n' {
		return r.literal("null")
	}
	switch t := target.(type) {
	case *string:
		if r.peek() != '"' {
			return r.wrongType()
		}
		*t, fault = r.string()
		return fault
	case *int:
		n := int64(*t)
		fault := r.integer(&n)
		*t = int(n)
		return fault
	case *int64:
		return r.integer(t)
	case *map[string]json.RawMessage:
		return r.values(t)
	case *[]string:
		return r.strings(t)
	case **Payload:
		return readMember(r, t, &r.objects().payload)
	case **WireAuthorization:
		return readMember(r, t, &r.objects().authorization)
	case **RequirementsV2:
		return r.offer(t)
	case **identifierInfo:
		return readMember(r, t, new(identifierInfo))
	default:
		panic(fmt.Sprintf("x402: reading JSON into the unexpected type %T", target))
	}
}

func readMember[T any, P interface {
	*T
	jsonObject
}](r *jsonReader, into **T, room *T,
) *faultyJSON {
	*into = room
	return r.object(P(room))
}

// recentOffers caches parsed offers by the length of their text. Clients echo the offer, so most payments have an offer
// that was seen before. Parsing it takes a quarter of the time of reading a payment.
var recentOffers [32]atomic.Pointer[recentOffer]

type recentOffer struct {
	text  string
	offer RequirementsV2
}

// offer reads an offer, which must not be changed: others may share it. If the text continues with a cached offer, that
// offer is used. This is safe because no complete object is the beginning of another.
func (r *jsonReader) offer(into **RequirementsV2) *faultyJSON {
	recent := &recentOffers[len(r.text)%len(recentOffers)]
	if known := recent.Load(); known != nil && strings.HasPrefix(r.text[r.pos:], known.text) {
		*into = &known.offer
		r.pos += len(known.text)
		return nil
	}
	start := r.pos
	fault := readMember(r, into, &r.objects().accepted)
	if fault == nil {
		recent.Store(&recentOffer{text: r.text[start:r.pos], offer: **into})
	}
	return fault
}

func (r *jsonReader) objects() *jsonRoom {
	if r.room == nil {
		r.room = new(jsonRoom)
	}
	return r.room
}

func (r *jsonReader) values(into *map[string]json.RawMessage) *faultyJSON {
	if r.peek() != '{' {
		return r.wrongType()
	}
	*into = map[string]json.RawMessage{}
	return r.members(func(name string) *faultyJSON {
		start := r.pos
		fault := r.skip()
		(*into)[name] = json.RawMessage(r.text[start:r.pos])
		return fault
	})
}

func (r *jsonReader) strings(into *[]string) *faultyJSON {
	if r.peek() != '[' {
		return r.wrongType()
	}
	return r.elements(func() *faultyJSON {
		if r.peek() != '"' {
			return r.wrongType()
		}
		s, fault := r.string()
		*into = append(*into, s)
		return fault
	})
}

// integer reads a number without fraction or exponent.
func (r *jsonReader) integer(into *int64) *faultyJSON {
	start := r.pos
	if c := r.peek(); c != '-' && (c < '0' || c > '9') {
		return r.wrongType()
	}
	if fault := r.number(); fault != nil {
		return fault
	}
	n, err := strconv.ParseInt(r.text[start:r.pos], 10, 64)
	if err != nil {
		r.pos = start
		return r.wrongType()
	}
	*into = n
	return nil
}

// skip reads any value and discards it.
func (r *jsonReader) skip() *faultyJSON {
	switch r.peek() {
	case '{':
		return r.members(func(string) *faultyJSON { return r.skip() })
	case '[':
		return r.elements(r.skip)
	case '"':
		_, fault := r.string()
		return fault
	case 't':
		return r.literal("true")
	case 'f':
		return r.literal("false")
	case 'n':
		return r.literal("null")
	default:
		return r.number()
	}
}

func (r *jsonReader) number() *faultyJSON {
	if r.peek() == '-' {
		r.pos++
	}
	if r.peek() == '0' {
		r.pos++
	} else if !r.digits() {
		return r.invalid()
	}
	if r.peek() == '.' {
		r.pos++
		if !r.digits() {
			return r.invalid()
		}
	}
	if c := r.peek(); c == 'e' || c == 'E' {
		r.pos++
		if c := r.peek(); c == '+' || c == '-' {
			r.pos++
		}
		if !r.digits() {
			return r.invalid()
		}
	}
	return nil
}

// digits reads one or more digits.
func (r *jsonReader) digits() bool {
	start := r.pos
	for c := r.peek(); '0' <= c && c <= '9'; c = r.peek() {
		r.pos++
	}
	return r.pos > start
}

// plainBytes marks the bytes that need no escape in a string.
var plainBytes = func() (plain [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// string reads a string; its opening quote is the next byte. A string without escapes is a slice of the text.
func (r *jsonReader) string() (string, *faultyJSON) {
	start := r.pos + 1
	end := start
	for end < len(r.text) && plainBytes[r.text[end]] {
		end++
	}
	r.pos = end
	if r.peek() == '"' {
		r.pos++
		return r.text[start:end], nil
	}
	return r.unescape([]byte(r.text[start:end]))
}

// unescape reads the rest of a string and appends it to out.
func (r *jsonReader) unescape(out []byte) (string, *faultyJSON) {
	for r.pos < len(r.text) {
		switch c := r.text[r.pos]; {
		case c == '"':
			r.pos++
			return string(out), nil
		case c == '\\':
			char, ok := r.escape()
			if !ok {
				return "", r.invalid()
			}
			out = utf8.AppendRune(out, char)
		case c < ' ':
			return "", r.invalid()
		case c < utf8.RuneSelf:
			out = append(out, c)
			r.pos++
		default:
			char, size := utf8.DecodeRuneInString(r.text[r.pos:])
			if char == utf8.RuneError && size <= 1 {
				return "", r.invalid()
			}
			out = append(out, r.text[r.pos:r.pos+size]...)
			r.pos += size
		}
	}
	return "", r.invalid()
}

// shortEscapes are the two-character escapes (RFC 8259, section 7).
var shortEscapes = map[byte]rune{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// escape reads an escape; its backslash is the next byte. Half a surrogate pair is invalid, because readers interpret
// it differently.
func (r *jsonReader) escape() (rune, bool) {
	r.pos++
	if c := r.peek(); c != 'u' {
		char, ok := shortEscapes[c]
		if ok {
			r.pos++
		}
		return char, ok
	}
	r.pos++
	char, ok := r.hex4()
	if !ok || !utf16.IsSurrogate(char) {
		return char, ok
	}
	if !strings.HasPrefix(r.text[r.pos:], `\u`) {
		return 0, false
	}
	r.pos += 2
	low, ok := r.hex4()
	char = utf16.DecodeRune(char, low)
	return char, ok && char != utf8.RuneError
}

func (r *jsonReader) hex4() (rune, bool) {
	const digits = 4
	var char rune
	for range digits {
		v := hexValues[r.peek()]
		if v > 0xf {
			return 0, false
		}
		char = char<<4 | rune(v)
		r.pos++
	}
	return char, true
}
