// Package frequency reads how often something is to happen: a sentence as people write it, or a cron expression. It says
// the one in terms of the other, and when it is time.
//
// The idea is that the cron expression is the meaning and sentences are its spellings: [Parse] takes many sentences to one
// expression, and [Words] takes each expression that has words to the one sentence that [Parse] takes back to it. What cron
// cannot say, such as every 90 minutes, is refused with what comes nearest; nothing is rounded in silence.
//
//	"twice a day"           0 */12 * * *       "every 12 hours"
//	"weekdays at 9am"       0 9 * * 1-5        "every weekday at 09:00"
//	"the 1st, 15th at 8:30" 30 8 1,15 * *      "on the 1st and 15th at 08:30"
//
// Expressions are those of cron(5): minute, hour, the month's day, month and weekday; names, ranges, lists, steps, 7 for
// Sunday. A `?` stands for `*` in the two fields of days. Where both fields of days are restricted, either suffices, as
// crontab(5) has it; a field is unrestricted if it is exactly `*` or `?`. With six fields the first are seconds or, where
// the place of a `?` or four digits at the end say so, the last are years, which must be all.
//
// Time passes by the clock on the wall of a time zone: [Cron.Next] documents what happens on the two odd days of a year.
//
// Invariants: Parse(Words(c)) is c; a sentence's times are never closer than [IntervalMin]; an expression that is read has
// a time in the future, wherever one stands.
//
// It is pure, and imports the standard library only.
package frequency
