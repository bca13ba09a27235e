// Package selector matches lists of CSS selectors against pages in bounded time.
//
// The idea is that both, the selector and the page, are strangers'. Libraries match right to left and try all ways through
// ancestors and siblings: four sibling combinators in a row take hours on a long list, and nothing can interrupt them. Here
// one walk over the tree holds each element against each compound at most once, and hands down which parts of which selector
// end where. What a compound needs of its surroundings is counted on the way (positions among siblings), or is charged for
// what it is (text and descendants), step by step, to a budget of the caller's.
//
// Invariants:
//   - What is selected is what github.com/andybalholm/cascadia, which matches the single compounds, would select.
//   - Between two steps that are charged lies a bounded amount of work.
//   - A selector that cannot be matched so is refused when it is read: combinators within :not and :has, and within :has
//     what looks around itself.
//
// The package imports nothing of ours.
package selector
