// Package trapsite is a web site that leads crawlers astray, for the tests and programs that show what becomes of them.
//
// The idea is that it knows its pages: those that a person who knows the site would name ([Site.Pages]), and beside them
// every trap that sites lay, most without meaning to, each with a handler of its own ([Site.Traps]). Whoever crawls it can
// be held against its own log of who asked for what, when, and with what answer ([Site.Log]).
//
// Nothing on it is by chance: the words of a page follow from its path, so that two sites of the same options are the
// same. Only what real sites change from one answer to the next changes here, too: visits are counted, and sessions are
// given out.
//
// It imports the standard library alone.
package trapsite
