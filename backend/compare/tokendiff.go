package compare

// hunk is where two texts differ: tokens from a0 to a1 were replaced by those from b0 to b1.
type hunk struct{ a0, a1, b0, b1 int }

// lcsMax bounds the table of the longest common subsequence; beyond, all between what is the same at both ends differs.
const lcsMax = 1 << 20

// differences finds where two lists of tokens differ.
func differences(a, b []token) []hunk {
	start := 0
	for start < len(a) && start < len(b) && same(&a[start], &b[start]) {
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && same(&a[endA-1], &b[endB-1]) {
		endA--
		endB--
	}
	n, m := endA-start, endB-start
	if n+m == 0 {
		return nil
	}
	if n == 0 || m == 0 || n*m > lcsMax {
		return []hunk{{start, endA, start, endB}}
	}
	lengths := make([]int32, (n+1)*(m+1))
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if same(&a[start+i], &b[start+j]) {
				lengths[i*(m+1)+j] = lengths[(i+1)*(m+1)+j+1] + 1
			} else {
				lengths[i*(m+1)+j] = max(lengths[(i+1)*(m+1)+j], lengths[i*(m+1)+j+1])
			}
		}
	}
	var out []hunk
	i, j := 0, 0
	for i < n || j < m {
		if i < n && j < m && same(&a[start+i], &b[start+j]) {
			i++
			j++
			continue
		}
		h := hunk{a0: start + i, b0: start + j}
		for i < n || j < m {
			if i < n && j < m && same(&a[start+i], &b[start+j]) {
				break
			}
			if j >= m || i < n && lengths[(i+1)*(m+1)+j] >= lengths[i*(m+1)+j+1] {
				i++
			} else {
				j++
			}
		}
		h.a1, h.b1 = start+i, start+j
		out = append(out, h)
	}
	return out
}

func same(a, b *token) bool { return a.kind == b.kind && a.norm == b.norm && a.unit == b.unit }

// counts reports whether a difference is one to readers: not where only what passes differs, nor punctuation.
func (h hunk) counts(a, b []token) bool {
	before, after := a[h.a0:h.a1], b[h.b0:h.b1]
	if allIdle(before) && allIdle(after) {
		return false
	}
	// "6 days ago" may become a date in time.
	return !(hasPassing(before) || hasPassing(after)) || !isTimely(before) || !isTimely(after)
}

func allIdle(tokens []token) bool {
	for i := range tokens {
		if t := &tokens[i]; t.kind != tokenPassing && (t.kind != tokenSign || !isIdle(t.norm)) {
			return false
		}
	}
	return true
}

// isPresence reports whether a difference is whether somebody is there. Beside what somebody wrote it says nothing.
func (h hunk) isPresence(before, after []token) bool {
	for _, tokens := range [][]token{before[h.a0:h.a1], after[h.b0:h.b1]} {
		for i := range tokens {
			if !presenceWords[tokens[i].lower] && tokens[i].kind != tokenPassing {
				return false
			}
		}
	}
	return true
}

func hasPassing(tokens []token) bool {
	for i := range tokens {
		if tokens[i].kind == tokenPassing {
			return true
		}
	}
	return false
}

func isTimely(tokens []token) bool {
	for i := range tokens {
		t := &tokens[i]
		switch {
		case t.kind == tokenPassing || t.kind == tokenDate || t.kind == tokenTime || t.kind == tokenSign:
		case t.kind == tokenWord && (glueWords[t.lower] || weekdays[t.lower] || timeUnits[t.lower] || aboutWords[t.lower]):
		default:
			return false
		}
	}
	return true
}
