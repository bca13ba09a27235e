package compare

// dailyMax bounds the tokens of a block that is of the day.
const dailyMax = 45

// isDaily reports whether two versions of a block are each of the day of their run, in all that they say: the strip above a page with
// the date, the weather and a saying. It is not where it says a price, a version, a state, another date or what is watched.
func (d *pageDiff) isDaily(a, b *node) bool { return isOfDay(d.before, a) && isOfDay(d.after, b) }

// isOfDay reports whether a block says what day it is when its page is read, and besides that how warm it is; above the content the
// weekday will do for that, and the weather for the date.
func isOfDay(nodes []*node, n *node) bool {
	if n.Kind != KindParagraph || n.Group != 0 || len(n.Text) > blockBytesMax/16 {
		return false
	}
	tokens := tokensOf(n.Text, n.lens.language)
	if len(tokens) > dailyMax {
		return false
	}
	today, weekday, degrees, sky := false, false, false, false
	for i := range tokens {
		t := &tokens[i]
		switch {
		case t.kind == tokenMoney || t.kind == tokenVersion || t.kind == tokenID:
			return false
		case t.kind == tokenDate:
			day, ok := dayNear(t.norm, n.lens.at)
			if !ok || abs(daysFrom(n.lens.at, day)) > 1 {
				return false
			}
			today = true
		case t.kind == tokenNumber:
			degrees = degrees || i+1 < len(tokens) && isDegrees(&tokens[i+1])
		case t.kind == tokenWord:
			if n.lens.watched[t.lower] || isState(t.lower) {
				return false
			}
			weekday, sky = weekday || weekdays[t.lower], sky || weatherWords[t.lower]
		}
	}
	return today && degrees || (today && weekday || degrees && sky) && isAbove(nodes, n)
}

func isDegrees(t *token) bool { return t.norm == "°" || t.lower == "°c" || t.lower == "°f" }

// isAbove reports whether a block stands above what the page tells of: in the header, or before the title.
func isAbove(nodes []*node, n *node) bool {
	if n.Part == "header" {
		return true
	}
	for _, other := range nodes[min(n.index+1, len(nodes)):] {
		if other.Kind == KindHeading && other.Level == 1 {
			return true
		}
	}
	return false
}

// hasDaily reports whether a block that is in one run alone is of the day, as is another that is in the other run alone.
func (d *pageDiff) hasDaily(n *node) bool {
	from, to := d.before, d.after
	if n.index < len(to) && to[n.index] == n {
		from, to = to, from
	}
	if !isOfDay(from, n) {
		return false
	}
	for _, other := range to {
		if other.mate == nil && other.path == n.path && other.Form == n.Form && isOfDay(to, other) {
			return true
		}
	}
	return false
}
