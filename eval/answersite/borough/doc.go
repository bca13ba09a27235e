// Package borough is a third part of the gold set of answers: the web of an invented county, its firms, shops, halls, offices
// and clubs, marked up as sites of many makers are.
//
// The idea is a table for each kind of thing, with what each field is called, how it is said and how it is asked for, and skins
// that show a row of it: an infobox, a product page, a summary list, tiles, prose. A value is written once, as it is shown
// and as it is meant ("£2.4 million" is 2400000 GBP).
//
// Invariants: those of package answersite. It imports that, and shares nothing with the other parts.
package borough
