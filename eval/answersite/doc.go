// Package answersite is the gold set of answers: a corpus of pages about things that do not exist, tasks about them whose
// answers are known, and the judge of what somebody answers.
//
// The idea is that a page and the answer to a task come of the same fact. Worlds of invented towns, people, products and
// timetables are made from a seed; each fact is written down once and shown on a page in one of many ways. So every value
// that is asked for is known exactly, with its type, and what no page says is known just as well: fields that the subject's
// page leaves out, subjects that there are none of, values that only a namesake has, and values of another year.
//
// There are parts that share this plumbing and nothing else. Those that are to be read while a reader is worked on are package
// devset, as it is and once more in other words and other markup (NewReworded); borough, marked up as sites of many makers are;
// campus, whose facts stand in prose; bazaar, about what is for sale; almanac, about what encyclopedias, museums and offices
// know; and harbour, about what people ask of a town: who works where, fees and hours, events, boats, courses, clubs and guides.
// Package heldout is not to be: it has other worlds, templates, words, markup and tasks, and judges.
//
// Invariants, which the package's tests hold all parts to:
//
//   - Each part has at least 300 pages of all types and 200 tasks, borough and campus 130 and 170, bazaar 120 and 170, almanac 130
//     and 340, harbour 130 and 220, the same in every run.
//
//   - Each known value stands in the text of each page that it is said to stand on, as the task says that it is written.
//
//   - No clue of a field that is said to be absent stands on the subject's pages, and no page names a subject that is said
//     not to exist.
//
// It imports extract, websearch and answers/ask; the readers that it judges it does not know.
package answersite
