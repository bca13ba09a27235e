package compare

import "strconv"

// slot names the place of a difference within a block by what is said around it, and by the block's label; none where there is
// neither. A label that is as noisy does not hide a place with enough around it, but for amounts, which look alike everywhere.
func (d *pageDiff) slot(n *node, number int, h hunk, after []token, factual bool) (places []string) {
	left, right := uint64(0), uint64(0)
	at := hashOf(strconv.Itoa(number))
	for i, found := h.b0-1, 0; i >= 0 && found < 2; i-- {
		if t := &after[i]; t.kind == tokenWord {
			left = mix(left, t.hash())
			found++
		}
	}
	for i, found := h.b1, 0; i < len(after) && found < 2; i++ {
		if t := &after[i]; t.kind == tokenWord {
			right = mix(right, t.hash())
			found++
		}
	}
	label := n.label
	if n.Kind == KindTitle || n.Kind == KindParagraph {
		label = 0
	}
	if left == 0 && right == 0 && n.label == 0 {
		return nil
	}
	places = []string{placeOf(d.url, n.path, label, at, left, right, 1)}
	if label != 0 && (left != 0 && right != 0 || !factual && (left != 0 || right != 0)) {
		places = append(places, placeOf(d.url, n.path, at, left, right, 2))
	}
	return places
}

// gaps name the place of a block by its neighbours, where nothing within it stays: by the one before and by the one after, so that
// it is known again when one of them is edited.
func (d *pageDiff) gaps(n *node) []string {
	nodes := d.after
	if n.index >= len(nodes) || nodes[n.index] != n {
		nodes = d.before
	}
	above, below := uint64(0), uint64(0)
	for i := n.index - 1; i >= 0 && above == 0; i-- {
		above = nodes[i].anchor()
	}
	for i := n.index + 1; i < len(nodes) && below == 0; i++ {
		below = nodes[i].anchor()
	}
	form := hashOf(n.Form)
	places := []string{placeOf(d.url, n.path, form, above, 3), placeOf(d.url, n.path, form, below, 4)}
	if n.label != 0 && isField(n) {
		places = append(places, placeOf(d.url, n.path, n.label, n.class(), 8))
	}
	return places
}

// membership names the list that a block is in.
func (n *node) membership(url uint64) string { return placeOf(url, n.path, hashOf(n.Form), 7) }

// anchor is what a block says that is the same in both runs, 0 for none.
func (n *node) anchor() uint64 {
	if n.mate == nil {
		return 0
	}
	n.read()
	n.mate.read()
	if n.mate.text == n.text && n.words > 0 {
		return n.text
	}
	return 0
}
