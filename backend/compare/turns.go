package compare

import "slices"

// Turns are what went from a list, or from among texts of one form, and how often some of that came back.
type Turns struct {
	// Run is when something last went.
	Run int `json:"run"`
	// Gone are hashes of what went, the latest last.
	Gone []uint32 `json:"gone"`
	// Back is how often something came back as it had been.
	Back int `json:"back"`
}

// What was gone and comes back again and again takes turns with others; news does not come back.
const (
	turnsMax = 100
	goneMax  = 48
	backMin  = 2
	backMax  = 8
)

// came is what a candidate put there, went what it took away; nil for none.
func (c *candidate) came() *node {
	if c.Kind == Added || c.Kind == Changed && c.b.isMember() {
		return c.b
	}
	return nil
}

func (c *candidate) went() *node {
	if c.Kind == Removed || c.Kind == Changed && c.b.isMember() {
		return c.a
	}
	return nil
}

// isTurn reports whether a candidate is of what comes and goes by turns: of a list only where it is busy.
func (n *Noise) isTurn(c *candidate) bool {
	if c.came() == nil && c.went() == nil {
		return false
	}
	of := c.came()
	if of == nil {
		of = c.went()
	}
	place := of.membership(c.in.url)
	t := n.Turns[place]
	if t == nil || t.Back < backMin || !slices.Contains(t.Gone, folded(of.text)) {
		return false
	}
	return !of.isMember() || n.differsAt(turning(place)).isRestless(false)
}

func turning(place string) string { return placeOf(hashOf(place), 24) }

// turn takes in what came and went, and returns the places of the lists of which that was.
func (n *Noise) turn(found []candidate) []string {
	var busy []string
	for i := range found {
		c := &found[i]
		if !c.mayRest() || c.quiet && !n.isTurn(c) {
			continue
		}
		if came := c.came(); came != nil {
			place := came.membership(c.in.url)
			busy = append(busy, turning(place))
			if t := n.Turns[place]; t != nil && slices.Contains(t.Gone, folded(came.text)) {
				t.Back = min(t.Back+1, backMax)
			}
		}
		if went := c.went(); went != nil {
			place := went.membership(c.in.url)
			busy = append(busy, turning(place))
			n.gone(place, folded(went.text))
		}
	}
	return busy
}

func (n *Noise) gone(place string, what uint32) {
	if n.Turns == nil {
		n.Turns = map[string]*Turns{}
	}
	t := n.Turns[place]
	if t == nil {
		t = &Turns{}
		n.Turns[place] = t
	}
	t.Run = n.Runs
	t.Gone = append(slices.DeleteFunc(t.Gone, func(seen uint32) bool { return seen == what }), what)
	t.Gone = t.Gone[max(0, len(t.Gone)-goneMax):]
}
