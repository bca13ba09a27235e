package object

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
)

// filtersMax is how many filters a stream has at most.
const filtersMax = 8

// errFilter is returned for data that only an image reader could make something of.
var errFilter = errors.New("no filter for text")

// sink takes what a filter gives, and stops it at the limits.
type sink struct {
	budget *Budget
	out    []byte
	max    int
}

func newSink(b *Budget) *sink {
	return &sink{budget: b, max: max(b.Limits.DecodedBytesMax/16, 1)}
}

// more reports whether n further bytes may be given.
func (s *sink) more(n int) bool {
	return len(s.out)+n <= s.max && s.budget.Take(&s.budget.Decoded, n, "decoded bytes")
}

func (s *sink) Write(p []byte) (int, error) {
	if !s.more(len(p)) {
		return 0, ErrLimit
	}
	s.out = append(s.out, p...)
	return len(p), nil
}

// applyFilter decodes data by one filter (ISO 32000-1, 7.4). What comes out before an error counts: cut and damaged
// streams are common, and most of their text is there.
func applyFilter(b *Budget, filter Name, parms Dict, data []byte) ([]byte, error) {
	s := newSink(b)
	switch filter {
	case "FlateDecode", "Fl":
		inflate(s, data)
		return unpredict(b, parms, s.out), nil
	case "LZWDecode", "LZW":
		early := 1
		if v, ok := integer(parms["EarlyChange"]); ok {
			early = v
		}
		unLZW(s, data, early != 0)
		return unpredict(b, parms, s.out), nil
	case "ASCIIHexDecode", "AHx":
		if end := bytes.IndexByte(data, '>'); end >= 0 {
			data = data[:end]
		}
		if !s.more(len(data) / 2) {
			return nil, ErrLimit
		}
		return unhex(nil, data), nil
	case "ASCII85Decode", "A85":
		un85(s, data)
		return s.out, nil
	case "RunLengthDecode", "RL":
		unRunLength(s, data)
		return s.out, nil
	}
	return nil, errFilter
}

// inflate undoes zlib (RFC 1950) without asking for its checksum, and deflate alone where the header is damaged.
func inflate(s *sink, data []byte) {
	data = bytes.TrimLeft(data, "\r\n")
	if len(data) < 2 {
		return
	}
	raw := data
	if data[0]&0x0f == 8 {
		raw = data[2:]
	}
	r := flate.NewReader(bytes.NewReader(raw))
	_, _ = io.Copy(s, r) //nolint:gosec // the sink is bounded; what came out before an error counts
	if len(s.out) == 0 && len(raw) != len(data) && s.budget.Err == nil {
		_, _ = io.Copy(s, flate.NewReader(bytes.NewReader(data)))
	}
}

// un85 decodes ASCII base-85 (7.4.3).
func un85(s *sink, data []byte) {
	var group [5]byte
	n := 0
	data = bytes.TrimPrefix(bytes.TrimLeft(data, "\x00\t\n\f\r "), []byte("<~"))
	for _, c := range data {
		switch {
		case c == '~':
			flush85(s, group, n)
			return
		case c == 'z' && n == 0:
			if _, err := s.Write([]byte{0, 0, 0, 0}); err != nil {
				return
			}
		case c >= '!' && c <= 'u':
			group[n] = c - '!'
			if n++; n == 5 {
				if !flush85(s, group, n) {
					return
				}
				n = 0
			}
		}
	}
	flush85(s, group, n)
}

// flush85 writes the n-1 bytes that n digits stand for.
func flush85(s *sink, group [5]byte, n int) bool {
	if n < 2 {
		return true
	}
	for i := n; i < 5; i++ {
		group[i] = 84
	}
	value := uint32(0)
	for _, d := range group {
		value = value*85 + uint32(d)
	}
	word := [4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}
	_, err := s.Write(word[:n-1])
	return err == nil
}

// unRunLength decodes run lengths (7.4.5).
func unRunLength(s *sink, data []byte) {
	for i := 0; i < len(data); {
		n := int(data[i])
		i++
		switch {
		case n == 128:
			return
		case n < 128:
			end := min(i+n+1, len(data))
			if _, err := s.Write(data[i:end]); err != nil {
				return
			}
			i = end
		case i < len(data):
			if _, err := s.Write(bytes.Repeat(data[i:i+1], 257-n)); err != nil {
				return
			}
			i++
		}
	}
}

// unLZW decodes LZW with codes of 9 to 12 bits (7.4.4). early is whether codes grow one entry before they must.
func unLZW(s *sink, data []byte, early bool) {
	const clearCode, endCode, entriesMax = 256, 257, 4096
	var (
		prefix         [entriesMax]uint16
		suffix, firsts [entriesMax]byte
		lengths        [entriesMax]uint16
	)
	for i := range 256 {
		suffix[i], firsts[i], lengths[i] = byte(i), byte(i), 1
	}
	next, width, previous := 258, uint(9), -1
	ahead := 0
	if early {
		ahead = 1
	}
	bits, have := uint32(0), uint(0)
	for _, c := range data {
		bits, have = bits<<8|uint32(c), have+8
		if have < width {
			continue
		}
		have -= width
		code := int(bits >> have & (1<<width - 1))
		switch {
		case code == endCode:
			return
		case code == clearCode:
			next, width, previous = 258, 9, -1
			continue
		case code > next || (code == next && previous < 0):
			return
		}
		if previous >= 0 && next < entriesMax {
			first := firsts[previous]
			if code < next {
				first = firsts[code]
			}
			prefix[next], suffix[next], firsts[next] = uint16(previous), first, firsts[previous] //nolint:gosec // below 4096
			lengths[next] = lengths[previous] + 1
			next++
		} else if code == next {
			return
		}
		n := int(lengths[code])
		if !s.more(n) {
			return
		}
		s.out = append(s.out, make([]byte, n)...)
		for at, c := len(s.out)-1, code; n > 0; n-- {
			s.out[at] = suffix[c]
			at, c = at-1, int(prefix[c])
		}
		previous = code
		for width < 12 && next+ahead >= 1<<width {
			width++
		}
	}
}
