// Package answersite is the gold set of answers: a corpus of pages about things that do not exist, tasks about them whose
// answers are known, and the judge of what somebody answers.
//
// The idea is that a page and the answer to a task come of the same fact. Worlds of invented towns, people, products and
// timetables are made from a seed; each fact is written down once and shown on a page in one of many ways. So every value
// that is asked for is known exactly, with its type, and what no page says is known just as well: fields that the subject's
// page leaves out, subjects that there are none of, values that only a namesake has, and values of another year.
//
// There are two parts that share this plumbing and nothing else: package devset is to be read while a reader is worked on, as
// it is and once more in other words and other markup (NewReworded); package heldout is not. It has other worlds, templates,
// words, markup and tasks.
//
// Invariants, which the package's tests hold both parts to:
//
//   - Each part has at least 300 pages of all types and 200 tasks, the same in every run.
//
//   - Each known value stands in the text of each page that it is said to stand on, as the task says that it is written.
//
//   - No clue of a field that is said to be absent stands on the subject's pages, and no page names a subject that is said
//     not to exist.
//
// It imports extract, websearch and answers/ask; the readers that it judges it does not know.
package answersite
