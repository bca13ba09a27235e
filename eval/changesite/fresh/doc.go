// Package fresh is a site that changes, of twelve pages by different makers: two shops, a newspaper, a forum, a town hall (in
// German), a theatre, makers of software and an employer.
//
// The idea is that a page looks a little different each time it is asked for, as most pages do. What is drawn from the run itself
// differs between two answers a second apart: tokens, adverts, teasers, other wordings of a button. What is drawn from Calm or
// follows from the number of the run stays for the run: today's date, the weather, counters that creep up. Runs are a day apart.
//
// Invariants:
//
//   - What a page is about is said by Since alone.
//   - Each page has noise of both kinds in each run.
//   - Each field of Data is on the page.
package fresh
