// The k best captures of an index under the posting lists of a query: the whole search in one call. every-match.ts finds the same
// without skipping anything. Everything lies in one memory; nothing is allocated.
#include "required.h"
#include "undated.h"

// The windows with the highest bounds come first, this many: they raise the score that is needed.
#define BEST_WINDOWS 8

// Sets an upper bound of the scores in each window; −1 where nothing matches.
static void setBounds(const View *v, u32 view) {
  const u32 first = v->from / WINDOW, last = (v->to - 1) / WINDOW;
  for (u32 w = 0; w < first; w++) v->bounds[w] = -1;
  for (u32 w = first; w <= last; w++) v->bounds[w] = (v->flags & BOOSTS) ? maxBoost(view, w) : 0;
  for (u32 i = 0; i < v->count; i++) {
    const Use *use = &v->uses[i];
    const u32 windows = use->list->windows;
    const u8 *impacts = PART(use->list, u8, windowImpacts);
    if (use->required)
      for (u32 w = first; w <= last; w++) {
        const i32 most = w < windows ? bound(impacts[w], use->weight, use->step) : 0;
        v->bounds[w] = most == 0 || v->bounds[w] < 0 ? -1 : v->bounds[w] + (use->weight > 0 ? most : 0);
      }
    else
      for (u32 w = first; w <= last && w < windows; w++)
        if (v->bounds[w] >= 0) v->bounds[w] += bound(impacts[w], use->weight, use->step);
  }
}

// Opens cursors at the beginning of the lists. Returns the number of required lists, which come first.
static u32 openView(const View *v) {
  u32 required = 0;
  leastScore = v->least;
  for (u32 i = 0; i < v->count; i++) {
    openCursor(&cursors[i], &v->uses[i], i, v->captures);
    byBound[i] = i;
    required += v->uses[i].required;
  }
  return required;
}

// The ordinal behind the last capture of a window that may match.
INLINE u32 endOf(const View *v, u32 window) { return (window + 1) * WINDOW < v->to ? (window + 1) * WINDOW : v->to; }

static void searchWindows(const Query *q, u32 view, u32 first, u32 last) {
  const View *v = &q->views[view];
  const u32 required = openView(v);
  if (required > 0) {
    const u32 start = first * WINDOW > v->from ? first * WINDOW : v->from;
    scoreRequired(v, view, required, start, endOf(v, last));
  } else
    for (u32 window = first; window <= last; window++)
      if (v->bounds[window] >= 0 && mayEnter(v->bounds[window], view, endOf(v, window))) scoreWindow(v, view, window);
}

// A window in one number, by which windows are sorted: the bound, then the newest segment, then the newest window.
INLINE u64 keyOf(i32 bound, u32 view, u32 window) { return (u64)(bound + 1) << 32 | (u64)(0xff - view) << 24 | window; }

// Returns the number of hits. They are at `hits`, the best first.
EXPORT("search") u32 search(const Query *q) {
  heapSize = 0;
  floorScore = q->floor;
  blocksView = NONE;
  roomFrom = q->room;
  roomEnd = q->roomEnd;
  heapLimit = q->k;
  leastScore = 1;
  u64 best[BEST_WINDOWS] = {0};
  for (u32 view = 0; view < q->count; view++) {
    const View *v = &q->views[view];
    setBounds(v, view);
    for (u32 window = v->from / WINDOW; window <= (v->to - 1) / WINDOW; window++) {
      if (v->bounds[window] < v->least) continue;
      const u64 key = keyOf(v->bounds[window], view, window);
      if (key <= best[BEST_WINDOWS - 1]) continue;
      u32 at = BEST_WINDOWS - 1;
      for (; at > 0 && best[at - 1] < key; at--) best[at] = best[at - 1];
      best[at] = key;
    }
  }
  for (u32 i = 0; i < BEST_WINDOWS && best[i]; i++) {
    const u32 view = 0xff - ((u32)best[i] >> 24), window = (u32)best[i] & 0xffffff;
    if ((i32)(best[i] >> 32) - 1 < scoreNeeded()) break;
    searchWindows(q, view, window, window);
    q->views[view].bounds[window] = -1;
  }
  // Then all others in their order, so that cursors move forward and a block is decoded once.
  for (u32 view = 0; view < q->count; view++) searchWindows(q, view, q->views[view].from / WINDOW, (q->views[view].to - 1) / WINDOW);
  sortHits();
  return heapSize;
}

// Returns the number of captures that match except that they have no publish date, counted up to `limit`. No view has required lists
// or a condition, and each has days.
EXPORT("countUndated") u32 countUndated(const Query *q, u32 limit) {
  u32 count = 0;
  for (u32 view = 0; view < q->count && count < limit; view++) {
    openView(&q->views[view]);
    count += countView(&q->views[view], view, limit - count);
  }
  return count < limit ? count : limit;
}

// Where the hits are.
EXPORT("hits") const Hit *hits(void) { return heap; }
// The indexes in the required lists of the capture that `matches` is asked about.
EXPORT("tested") const u32 *testedIndexes(void) { return tested; }
// Where `fill` sets bits.
EXPORT("conditionBits") const u64 *conditionBits(void) { return condition; }
