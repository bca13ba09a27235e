// Package frequency parses how often something should happen, as an English sentence or a cron expression, translates
// between the two, and computes when it is due.
//
// The cron expression is the canonical form: [Parse] maps many sentences to one expression, and [Words] maps an
// expression back to the one sentence that [Parse] reads as the same. What cron cannot express, such as every 90 minutes,
// is refused with the nearest alternatives. Nothing is rounded silently.
//
//	"twice a day"           0 */12 * * *       "every 12 hours"
//	"weekdays at 9am"       0 9 * * 1-5        "every weekday at 09:00"
//	"the 1st, 15th at 8:30" 30 8 1,15 * *      "on the 1st and 15th at 08:30"
//
// Expressions are those of cron(5): minute, hour, day of the month, month and weekday, with names, ranges, lists, steps,
// and 7 for Sunday. A `?` stands for `*` in the two day fields. If both day fields are restricted, either suffices, as in
// crontab(5); a field is unrestricted if it is exactly `*` or `?`. With six fields the first is seconds, unless the place
// of a `?` or four digits at the end show that the last is years, which must be all.
//
// Times are wall clock times of a time zone: [Cron.Next] documents the two days of a year when clocks change.
//
// Invariants: Parse(Words(c)) is c. A sentence is never due more often than [IntervalMin]. An accepted expression is
// always due at some time in the future.
//
// It is pure, and imports only the standard library.
package frequency
