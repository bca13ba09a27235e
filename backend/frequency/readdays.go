package frequency

// dayPhrase parses weekdays and days of the month, and lists of them.
func (r *reading) dayPhrase(token string) (bool, error) {
	switch {
	case r.take("except", "excluding", "not"):
		r.take("on", "for")
		r.take("the")
		set, err := r.weekdayList()
		if err == nil && set == 0 {
			err = refuse("a day of the week is missing after %q", token)
		}
		if err != nil {
			return true, err
		}
		if r.weekdays == 0 {
			r.weekdays = allDays
		}
		if r.weekdays &^= set; r.weekdays == 0 {
			return true, refuse("no day is left")
		}
		return true, nil
	case days[token] != 0:
		set, err := r.weekdayList()
		r.weekdays |= set
		return true, err
	case ordinals[token] != 0 && (days[r.peek(1)] != 0 || r.peek(1) == "weekday"):
		return true, &Error{Reason: "cron cannot express the " + token + " " + r.peek(1) + " of a month", Try: []string{"every monday", "on the 1st"}}
	case ordinals[token] != 0:
		r.pos++
		r.take("day")
		return true, r.addDay(ordinals[token])
	case token == "day" || token == "days":
		return r.numberedDays()
	case kindOf(token[0]) == digit && isSuffix(r.peek(1)):
		n, _ := r.digits()
		r.pos++
		if days[r.peek(0)] != 0 {
			return true, &Error{Reason: "cron cannot express the nth weekday of a month", Try: []string{"every monday", "on the 1st"}}
		}
		r.take("day")
		return true, r.dayRange(n)
	case kindOf(token[0]) == digit && months[r.peek(1)] != 0: // "15 march"
		n, _ := r.digits()
		return true, r.addDay(n)
	case kindOf(token[0]) == digit && r.doms != 0 && r.pos > 0 && joins(r.tokens[r.pos-1]) && isEndOfList(r.peek(1)): // "the 1st, 15"
		n, _ := r.digits()
		return true, r.addDay(n)
	}
	return false, nil
}

func joins(token string) bool { return token == "and" || token == "," || token == "&" }

func isEndOfList(token string) bool {
	return token == "" || joins(token) || token == "at" || token == "of"
}

// dayRange parses the end of "1st to 5th", if there is one.
func (r *reading) dayRange(first int) error {
	at := r.pos
	if r.take("to", "-", "through", "until") {
		r.take("the")
		last, ok := r.digits()
		if !ok || !r.take("st", "nd", "rd", "th") || last <= first {
			return refuse("the last day is missing after %q", "to")
		}
		for n := first; n < last; n++ {
			if err := r.addDay(n); err != nil {
				return err
			}
		}
		return r.addDay(last)
	}
	r.pos = at
	return r.addDay(first)
}

// numberedDays parses "day 1 and 15".
func (r *reading) numberedDays() (bool, error) {
	at := r.pos
	r.pos++
	for read := false; ; read = true {
		mark := r.pos
		if read && !r.take("and", ",", "&") {
			return true, nil
		}
		r.take("and")
		n, ok := r.digits()
		if !ok || r.peek(0) == ":" || r.peek(0) == "am" || r.peek(0) == "pm" {
			if r.pos = mark; !read {
				r.pos = at
			}
			return read, nil
		}
		if err := r.addDay(n); err != nil {
			return true, err
		}
	}
}

func (r *reading) addDay(n int) error {
	if n < 1 || n > 31 {
		return refuse("%d is not a day of a month", n)
	}
	r.doms |= 1 << n
	return nil
}

// weekdayList parses "monday", "mon to fri", "mondays, wednesdays and fridays".
func (r *reading) weekdayList() (set uint64, err error) {
	for {
		mark := r.pos
		if set != 0 && !r.take("and", ",", "&", "+", "/") {
			return set, nil
		}
		r.take("and")
		if set != 0 {
			r.take("on", "every")
		}
		first := days[r.peek(0)]
		if first == 0 {
			r.pos = mark
			return set, nil
		}
		r.pos++
		if !isOneDay(first) || !r.take("to", "-", "through", "thru", "until") {
			set |= first
			continue
		}
		last := days[r.peek(0)]
		if !isOneDay(last) {
			return 0, refuse("the last day of the week is missing after %q", "to")
		}
		r.pos++
		for set |= first; first != last; set |= first {
			if first <<= 1; first > 1<<6 {
				first = 1
			}
		}
	}
}

func isOneDay(set uint64) bool { return set != 0 && set&(set-1) == 0 }
