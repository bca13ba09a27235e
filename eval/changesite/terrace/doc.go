// Package terrace is a site of ten pages that people watch for what they mean to do: rent a flat, order a part, apply for a grant,
// sit an exam, visit a museum, trust a host, hear a speaker, return a recalled product, install a release, pay for school lunch.
//
// Each page is of another maker, and nothing around the contents is shared. Days are real ones: run 0 is Monday, 12 January 2026,
// editors work on weekdays, and only the host has its trouble on a weekend.
package terrace
