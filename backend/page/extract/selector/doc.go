// Package selector matches lists of CSS selectors against pages in bounded time.
//
// Both the selector and the page are untrusted. Libraries match right to left and try all ways through ancestors and
// siblings: four sibling combinators in a row take hours on a long list, and nothing can interrupt them. Here one walk
// over the tree matches each element against each compound at most once, and passes down which parts of which selector
// end where. What a compound needs of its surroundings is counted on the way (positions among siblings), or is charged by
// its size (text and descendants), step by step, to the caller's budget.
//
// Invariants:
//   - The result is what github.com/andybalholm/cascadia, which matches the single compounds, would select.
//   - Between two charged steps there is a bounded amount of work.
//   - A selector that cannot be matched in this way is rejected when it is read: combinators within :not and :has, and
//     within :has selectors that depend on surroundings.
package selector
