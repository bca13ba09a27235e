package links

import (
	"crypto/sha256"
	"encoding/binary"
)

// Print is the fingerprint by which duplicate pages are found.
type Print struct {
	// Content is the same for pages with the same text, title and pictures. It is zero if there is too little text.
	Content [16]byte
	// Simhash differs in few bits if most of the text is the same (Charikar, 2002). It is zero if Content is.
	Simhash uint64
	// Form is the same for pages whose text differs only in dates and small numbers, such as the empty pages of a
	// calendar. It is zero if Content is.
	Form uint64
}

// printBytesMin is how much text is needed to tell a page from others.
const printBytesMin = 64

// PrintOf returns the print of text that is no page.
func PrintOf(text string) Print { return printOf("", text, nil) }

// printOf returns the print of a page whose white space is folded.
func printOf(title, text string, images []byte) Print {
	if len(text) < printBytesMin {
		return Print{}
	}
	hash := sha256.New()
	for _, part := range [][]byte{[]byte(title), []byte(text), images} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		_, _ = hash.Write(length[:]) // never fails
		_, _ = hash.Write(part)
	}
	p := Print{Content: [16]byte(hash.Sum(nil)[:16])}
	p.Simhash, p.Form = hashes(text)
	return p
}

// lanes has, for each byte, its bits in one byte each: adding them counts the eight bits at once.
var lanes = func() (all [256]uint64) {
	for value := range all {
		for bit := range 8 {
			all[value] |= uint64(value>>bit&1) << (8 * bit)
		}
	}
	return all
}()

// hashes returns the Simhash of a text's pairs of words, with ASCII letters in lower case, and its Form.
func hashes(text string) (simhash, form uint64) {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	c := bitCounts{}
	previous, word := uint64(0), uint64(offset)
	form = offset
	start, dated := 0, false
	for i := 0; i <= len(text); i++ {
		if i < len(text) && text[i] != ' ' {
			b := text[i]
			if 'A' <= b && b <= 'Z' {
				b += 'a' - 'A'
			}
			word = (word ^ uint64(b)) * prime
			continue
		}
		if word != offset {
			c.add(scatter(word ^ previous*prime))
			// Several dates and small numbers in a row count as one.
			if is := isDated(text[start:i]); !is {
				form, dated = (form^word)*prime, false
			} else if !dated {
				form, dated = (form^offset)*prime, true
			}
			previous, word = word, offset
		}
		start = i + 1
	}
	return max(c.majority(), 1), max(form, 1) // 0 is for pages without one
}

// scatter spreads differences in a hash over all its bits, like the end of MurmurHash3.
func scatter(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// bitCounts counts in how many hashes each bit is set: eight bytes of eight counters, emptied before they overflow.
type bitCounts struct {
	small  [8]uint64
	counts [64]int
	added  int
}

func (c *bitCounts) add(hash uint64) {
	for i := range c.small {
		c.small[i] += lanes[byte(hash>>(8*i))]
	}
	if c.added++; c.added%255 == 0 {
		c.empty()
	}
}

func (c *bitCounts) empty() {
	for i, lane := range c.small {
		for bit := range 8 {
			c.counts[8*i+bit] += int(byte(lane >> (8 * bit)))
		}
		c.small[i] = 0
	}
}

// majority has the bits that are set in most hashes.
func (c *bitCounts) majority() uint64 {
	c.empty()
	out := uint64(0)
	for bit, count := range c.counts {
		if 2*count > c.added {
			out |= 1 << bit
		}
	}
	return out
}
