// Package trapsite is a web site full of crawler traps, for tests and programs that examine crawlers.
//
// It knows its pages: those that a person who knows the site would name ([Site.Pages]), and every trap that sites
// contain, mostly by accident, each with its own handler ([Site.Traps]). A crawler's results can be compared with the
// site's own log of requests, their times and responses ([Site.Log]).
//
// Nothing on it is random: the words of a page are derived from its path, so that two sites with the same options are the
// same. Only what real sites change from one response to the next changes here, too: visitor counters and session ids.
package trapsite
