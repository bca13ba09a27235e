package frequency

// clock is a time of day as written.
type clock struct {
	hour, minute int
	// half is "am" or "pm"; "" if neither was written.
	half string
	// colon reports that minutes were written, so that this is certainly a time.
	colon bool
}

// minutes returns the minute of the day.
func (c clock) minutes() int {
	hour := c.hour
	switch {
	case c.half == "am" && hour == 12:
		hour = 0
	case c.half == "pm" && hour < 12:
		hour += 12
	}
	return hour*60 + c.minute
}

// clock parses a time. If ok is false, nothing was consumed.
func (r *reading) clock() (c clock, ok bool, err error) {
	if r.take("noon", "midday") {
		return clock{hour: 12, half: "pm", colon: true}, true, nil
	}
	if r.take("midnight") {
		return clock{half: "am", hour: 12, colon: true}, true, nil
	}
	token := r.peek(0)
	hour, ok := r.digits()
	if !ok {
		return clock{}, false, nil
	}
	c.hour = hour
	if len(token) == 4 { // 0900
		c.hour, c.minute, c.colon = hour/100, hour%100, true
	}
	if r.take(":", ".", "h") {
		written := r.peek(0)
		minute, ok := r.digits()
		switch {
		case ok && len(written) == 2:
			c.minute = minute
		case ok || r.tokens[r.pos-1] != "h":
			return c, true, refuse("%q is not a time of day", token+":"+written)
		}
		c.colon = true
		if r.peek(0) == ":" && r.peek(1) == "00" {
			r.pos += 2
		}
	}
	if half := r.peek(0); r.take("am", "pm") {
		c.half = half
	}
	if c.half != "" && (c.hour < 1 || c.hour > 12) || c.hour > 24 || c.hour == 24 && c.minute > 0 || c.minute > 59 {
		return c, true, refuse("%q is not a time of day", token)
	}
	return c, true, nil
}

// clockPhrase parses "at 9:30 and 17:30", "at :15", "9am", "noon".
func (r *reading) clockPhrase(token string) (bool, error) {
	switch {
	case r.take("at", "@"):
		r.take("about", "around")
		if done, err := r.pastPhrase(); done || err != nil {
			return true, err
		}
	case token == "noon" || token == "midday" || token == "midnight":
	case kindOf(token[0]) == digit && (len(token) == 4 || r.peek(1) == ":" || r.peek(1) == "am" || r.peek(1) == "pm" || r.peek(1) == "h"):
	default:
		return false, nil
	}
	clocks, err := r.clocks()
	if err != nil {
		return true, err
	}
	if len(clocks) == 0 {
		return true, refuse("a time of day is missing after %q", token)
	}
	for i := len(clocks) - 2; i >= 0; i-- { // "at 1 and 3 pm"
		if clocks[i].half == "" && clocks[i].hour <= 12 && clocks[i].hour > 0 {
			clocks[i].half = clocks[i+1].half
		}
	}
	r.partOfDay()
	for _, c := range clocks {
		c = r.inPart(c)
		if c.hour == 24 {
			c.hour = 0
		}
		r.times = append(r.times, c.minutes())
	}
	return true, nil
}

// clocks parses a list of times.
func (r *reading) clocks() (clocks []clock, err error) {
	for {
		at := r.pos
		if len(clocks) > 0 && !r.take("and", ",", "&") {
			return clocks, nil
		}
		r.take("and")
		if len(clocks) > 0 {
			r.take("at")
		}
		if next := r.peek(1); isSuffix(next) || next == "times" { // "at 9 and the 1st": the latter is not a time
			r.pos = at
			return clocks, nil
		}
		c, ok, err := r.clock()
		if err != nil {
			return nil, err
		}
		if !ok {
			r.pos = at
			return clocks, nil
		}
		clocks = append(clocks, c)
	}
}

// partOfDay parses "in the morning" after a time.
func (r *reading) partOfDay() {
	at := r.pos
	r.take("in")
	r.take("the")
	if found, ok := parts[r.peek(0)]; ok {
		r.pos++
		r.part = &found
		return
	}
	r.pos = at
}

// inPart places a 12-hour time in the part of the day that was named.
func (r *reading) inPart(c clock) clock {
	if r.part == nil || c.half != "" || c.hour < 1 || c.hour > 12 {
		return c
	}
	switch {
	case c.hour == 12 && r.part.pmFrom == 6: // at night
		c.half = "am"
	case c.hour >= r.part.pmFrom:
		c.half = "pm"
	case c.hour < 12:
		c.half = "am"
	}
	return c
}

// pastPhrase parses ":15", "minute 15", "15 past", "15 minutes past the hour".
func (r *reading) pastPhrase() (bool, error) {
	at := r.pos
	marked := false
	for {
		colon := r.take(":")
		named := !colon && r.take("minute", "minutes")
		n, ok := r.digits()
		switch {
		case ok && (colon || named):
			marked = true
		case ok && (r.takes("past the hour") || r.takes("minutes past the hour") || r.takes("minutes past") || r.take("past")):
			marked = true
		case ok && marked && named:
		default:
			if !marked {
				r.pos = at
				return false, nil
			}
			return true, refuse("a minute of the hour is missing")
		}
		if n > 59 {
			return true, refuse("minute %d is not between 0 and 59", n)
		}
		r.past |= 1 << n
		mark := r.pos
		if !r.take("and", ",", "&") {
			return true, nil
		}
		r.take("and")
		if next := r.peek(0); next != ":" && next != "minute" {
			r.pos = mark
			return true, nil
		}
	}
}

// windowPhrase parses "between 8 and 18", "from 9am to 5pm", "starting at 6".
func (r *reading) windowPhrase(token string) (bool, error) {
	switch {
	case r.take("starting", "beginning"):
		r.take("at", "from")
		c, ok, err := r.clock()
		if err == nil && !ok {
			err = refuse("a time of day is missing after %q", token)
		}
		if err != nil {
			return true, err
		}
		r.start = c.minutes() % (24 * 60)
		return true, nil
	case r.take("between", "from"):
	default:
		return false, nil
	}
	if days[r.peek(0)] != 0 { // "from monday to friday"
		return true, nil
	}
	low, ok, err := r.clock()
	if err == nil && (!ok || !r.take("and", "to", "-", "until", "till", "through")) {
		err = refuse("two times of day are required after %q", token)
	}
	if err != nil {
		return true, err
	}
	high, ok, err := r.clock()
	if err == nil && !ok {
		err = refuse("two times of day are required after %q", token)
	}
	if err != nil {
		return true, err
	}
	return true, r.setWindow(low, high)
}

// setWindow sets a window from two times, of which one may have am or pm for both: "9 to 5pm", "1 to 3pm", "9 to 5".
func (r *reading) setWindow(low, high clock) error {
	twelve := func(c clock) bool { return c.half == "" && c.hour >= 1 && c.hour <= 12 && !(c.colon && c.hour < 10) }
	switch {
	case twelve(low) && high.half != "":
		if low.half = high.half; low.minutes() >= high.minutes() {
			low.half = "am"
		}
	case twelve(high) && (low.half != "" || twelve(low)) && high.minutes() < low.minutes():
		high.half = "pm"
	}
	if low.minute != 0 || high.minute != 0 {
		return refuse("a time range must start and end on a full hour")
	}
	from, to := low.minutes()/60%24, high.minutes()/60
	if to == 0 {
		to = 24
	}
	if from == to || r.window != nil {
		return refuse("a time range may be given once, and must end after it starts")
	}
	r.window = &[2]int{from, to}
	return nil
}
