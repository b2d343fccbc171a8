// The best hits: a heap with the worst on top.
#pragma once
#include "positions.h"

static Hit heap[MAX_K];
static u32 heapSize, heapLimit;
static i32 leastScore; // of the view that is searched
static i32 floorScore; // of the query

// A total order: by score, then newer capture, then URL.
INLINE int isWorse(const Hit *a, const Hit *b) {
  if (a->score != b->score) return a->score < b->score;
  if (a->view == b->view) return a->ordinal < b->ordinal;
  return goesBefore(b->view, b->ordinal, a->view, a->ordinal) != 0;
}

// The lowest score with which a hit may still enter.
INLINE i32 scoreNeeded(void) {
  const i32 needed = heapSize < heapLimit ? leastScore : heap[0].score;
  return needed > floorScore ? needed : floorScore;
}

// True if captures of a view below `end` with the score of the worst hit would lose the tie against it.
INLINE int losesTies(u32 view, u32 end) {
  const Hit *worst = &heap[0];
  return heapSize == heapLimit && (worst->view == view ? worst->ordinal >= end : isNewer(worst->view, worst->ordinal, view, end - 1));
}

// True if a capture below `end` with a score up to `bound` may enter.
INLINE int mayEnter(i32 bound, u32 view, u32 end) {
  const i32 needed = scoreNeeded();
  return bound > needed || (bound == needed && !losesTies(view, end));
}

INLINE int competes(const Hit *hit) { return heapSize < heapLimit || isWorse(&heap[0], hit); }

static void sink(Hit hit, u32 size) {
  u32 at = 0;
  for (;;) {
    u32 child = 2 * at + 1;
    if (child >= size) break;
    if (child + 1 < size && isWorse(&heap[child + 1], &heap[child])) child++;
    if (!isWorse(&heap[child], &hit)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = hit;
}

// Enters a hit that competes; the worst one leaves if there is no room.
static void pushHit(Hit hit) {
  if (heapSize == heapLimit) return sink(hit, heapSize);
  u32 at = heapSize++;
  while (at > 0) {
    const u32 parent = (at - 1) / 2;
    if (!isWorse(&hit, &heap[parent])) break;
    heap[at] = heap[parent];
    at = parent;
  }
  heap[at] = hit;
}

// Puts the best hit first.
static void sortHits(void) {
  for (u32 size = heapSize; size > 1; size--) {
    const Hit worst = heap[0];
    sink(heap[size - 1], size - 1);
    heap[size - 1] = worst;
  }
}

// True if a capture may have ended before the instant.
INLINE int hasEnded(const View *v, u32 ordinal) { return v->ended && (v->ended[ordinal >> 5] >> (ordinal & 31) & 1); }

// True if TypeScript must test a capture: lists, ranges, days and phrases do not decide alone whether it matches. On the first and on the
// last day of a window of publish dates the millisecond decides.
INLINE int needsTest(const View *v, u32 ordinal) {
  if (v->flags & TESTS) return 1;
  if (!v->days) return 0;
  const u32 day = v->days[ordinal] - v->dayFrom;
  return day == 0 || day == v->daySpan - 1;
}

// True if a capture in the required lists matches. `tested` has its indexes there, if the view has phrases or its captures are tested.
static int isMatch(const View *v, u32 view, u32 ordinal) {
  if (hasEnded(v, ordinal) && !isCurrent(view, ordinal)) return 0;
  const int hasPhrases = v->wordCount ? containsPhrases(v, view) : 1;
  if (hasPhrases == 0) return 0;
  return (hasPhrases > 0 && !needsTest(v, ordinal)) || matches(view, ordinal);
}

// Offers a capture whose score, without its boost, is known. A tie of two views at one instant reads URLs, which only captures that
// match are sure to have; but `matches` may read positions, so every other tie is decided before.
static void offer(const View *v, Hit hit, i32 mostBoost) {
  if (hit.score < leastScore || !mayEnter(hit.score + mostBoost, hit.view, hit.ordinal + 1)) return;
  if (!isMatch(v, hit.view, hit.ordinal)) return;
  if (mostBoost > 0) hit.score += boost(hit.view, hit.ordinal);
  if (hit.score >= floorScore && competes(&hit)) pushHit(hit);
}
