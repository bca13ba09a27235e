// Package memory keeps what pages take within the memory of the process. One Budget is shared by all that fetches, renders
// and reads pages; what would be too much together waits for each other.
//
// A Budget has two parts. Work is what reading a page takes, estimated beforehand, for as long as that lasts. A Hold is
// what a request has in hand from its page's arrival to its answer: the body and what was made of it. Nobody waits for a
// hold while it works, so that what holds can always go on to work, and what works ends.
//
// Work that is estimated to be long takes a processor for long, too, and is done [Aside].
package memory
