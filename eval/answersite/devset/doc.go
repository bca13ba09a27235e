// Package devset is the part of the gold set that readers are worked on with: the land of Varland, its towns, university,
// shops, museums, ferries and firms.
//
// The idea and the invariants are those of package answersite, which it imports and nothing else of ours.
package devset
