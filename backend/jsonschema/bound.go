package jsonschema

// applicationsMax is how many schemas may apply to any one value. Hand-written schemas stay below a hundred, but with
// references a few lines can reach any number: ten definitions, each of which names the next one twice.
const applicationsMax = 500

// bound refuses schemas with circular references on the same value, and those that multiply. It returns the maximum
// number of schemas that apply to one value.
func (r *reader) bound(root *Node) int {
	state := map[*Node]int{}
	for _, n := range r.nodes {
		if circular(n, state) {
			r.faults.addf("", "has a $ref that leads back to itself without going deeper into the value")
			return 0
		}
	}
	m := multiplier{memo: map[*Node][]int{}}
	most := 0
	for depth := range ValueDepthMax + 1 {
		if most = max(most, m.applications(root, depth)); most > applicationsMax {
			r.faults.addf("", "is too complex: its references and alternatives multiply to more than %d schemas for one value", applicationsMax)
			return 0
		}
	}
	return most
}

// circular follows the schemas of the same value. It recurses as deep as there are such schemas in a row, at most a few thousand.
func circular(n *Node, state map[*Node]int) bool {
	const entered, left = 1, 2
	switch state[n] {
	case entered:
		return true
	case left:
		return false
	}
	state[n] = entered
	for _, other := range n.same {
		if circular(other, state) {
			return true
		}
	}
	state[n] = left
	return false
}

type multiplier struct{ memo map[*Node][]int }

// applications is the maximum number of schemas that apply to a value depth levels below the value of n. It is called
// with rising depths, so that it recurses only through schemas of the same value.
func (m *multiplier) applications(n *Node, depth int) int {
	if known := m.memo[n]; depth < len(known) {
		return known[depth]
	}
	for level := len(m.memo[n]); level <= depth; level++ {
		m.memo[n] = append(m.memo[n], m.at(n, level))
	}
	return m.memo[n][depth]
}

func (m *multiplier) at(n *Node, depth int) int {
	count := 0
	if depth == 0 {
		count = 1
	} else {
		for _, child := range n.named {
			count = max(count, m.applications(child, depth-1))
		}
		for _, child := range n.every {
			count += m.applications(child, depth-1)
		}
	}
	for _, other := range n.same {
		count += m.applications(other, depth)
	}
	return min(count, applicationsMax+1)
}
