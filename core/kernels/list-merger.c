// Merges the lists of one term: reads its postings and positions in several segments block by block, gives the captures their new
// ordinals, and writes the lists of the merged segment. The formats are those of segment/postings, segment/positions and, for short
// lists, segment/dictionary/inline-postings.ts. Nothing is decoded as a whole, so that a list takes the memory of its bytes.
//
// Whatever does not fit, or cannot be a list, is refused: then the merger in TypeScript merges the term, and says what is wrong with it.
#include "list-writer.h"
#include "standing-writer.h"

// The merged lists. With no capture that has ended, the standing list is empty.
static struct {
  const u8 *postings; u32 postingsBytes;
  const u8 *positions; u32 positionsBytes;
  u8 *standing; u32 standingBytes;
  u32 ended;
} merged;

EXPORT("sources") Source *sourcesAt(void) { return sources; }
EXPORT("maxSources") u32 maxSources(void) { return MAX_SOURCES; }
EXPORT("merged") void *mergedAt(void) { return &merged; }
EXPORT("standing") void *standingAt(void) { return &standing; }
EXPORT("lowThresholds") f64 *lowThresholdsAt(void) { return lowThresholds; }

static u32 *ordinalsOut; // of all postings; 0 if they need no standing list

static void take(Head *h, u32 captures) {
  const u32 count = h->counts[h->at];
  if ((i64)h->next <= lastOrdinal || h->next >= captures) {
    refused = 1;
    return;
  }
  lastOrdinal = h->next;
  ordinals[filled] = h->next;
  if (ordinalsOut) *ordinalsOut++ = h->next;
  frequencies[filled] = h->frequencies[h->at];
  counts[filled++] = count;
  *signaturesOut++ = count > 0 ? h->signatures[h->at] : 0;
  if (count > 0) readPositions(h, count);
  held += count;
  h->index += count;
  h->at++;
}

// Writes the merged lists between `out` and `limit`, and their places to `merged`. Returns the number of postings; -1: refused.
// `windows` has a byte for each window of the merged segment, `lengths` and `slope` are those of its saturation.
EXPORT("merge") int merge(u32 sourceCount, f64 slope, const u32 *lengths, u32 captures, u8 *windows, u8 *out, u8 *limit) {
  refused = 0;
  u64 most = 0;
  for (u32 i = 0; i < sourceCount; i++) most += sources[i].count;
  const u64 blocks = most / BLOCK, allWindows = captures / WINDOW + 1;
  // The parts of the lists, then the lists with room for a header.
  if (22 * blocks + 14 * most + allWindows + 3 * TAIL_BYTES > (u64)(limit - out)) return -1;
  const u32 *const all = ordinalsOut = standing.places && most >= STANDING_STORED_FROM ? (u32 *)out : 0;
  lasts = all ? out + 4 * most : out;
  ends = lasts + 4 * blocks;
  impacts = ends + 4 * blocks;
  gapWidths = impacts + blocks + 1;
  frequencyWidths = gapWidths + blocks;
  countWidths = frequencyWidths + blocks;
  u8 *signatures = signaturesOut = countWidths + blocks;
  u8 *postingsStart = postingsOut = signatures + most + 7 * blocks + 16;
  positionsOut = positionsStart = postingsStart + 8 * most + allWindows + TAIL_BYTES + 5 * blocks + most + 16;
  positionsLimit = limit;
  if (positionsStart > limit) return -1;
  filled = held = written = 0;
  blockBefore = lastOrdinal = -1;
  if (most < BLOCK) windows = 0;
  else __builtin_memset(windows, 0, allWindows);

  Head *live[MAX_SOURCES];
  u32 left = 0;
  for (u32 i = 0; i < sourceCount; i++)
    if (openHead(&heads[i], &sources[i])) live[left++] = &heads[i];
  while (left > 0 && !refused) {
    u32 first = 0, end = OMITTED;
    for (u32 i = 1; i < left; i++) {
      const u32 other = live[i]->next < live[first]->next ? live[first]->next : live[i]->next;
      if (live[i]->next < live[first]->next) first = i;
      if (other < end) end = other;
    }
    Head *h = live[first];
    int hasMore;
    do {
      take(h, captures);
      if (filled == BLOCK && !refused) writeFullBlock(windows, lengths, slope);
      hasMore = !refused && settle(h);
    } while (hasMore && h->next < end);
    if (!hasMore) live[first] = live[--left];
  }
  const u32 count = signaturesOut - signatures;
  if (refused || (u64)(positionsLimit - positionsOut) < TAIL_BYTES + 13ull * held) return -1;
  if (count == 0) return 0;

  const u32 full = written, hasTail = filled > 0;
  if (hasTail) {
    impacts[full] = impactOfBlock(windows, lengths, slope);
    writeTail();
  }
  u32 impactBytes = 1;
  if (full > 0) {
    postingsOut = align(postingsOut, postingsStart);
    positionsOut = align(positionsOut, positionsStart);
    impactBytes = pad(full + hasTail);
    const u32 windowCount = lastOrdinal / WINDOW + 1;
    if (count >= WINDOWS_STORED_FROM * windowCount) postingsOut = put(postingsOut, windows, windowCount, pad(windowCount));
  }
  u8 *at = postingsStart - (4 * full + impactBytes + 2 * pad(full));
  merged.postings = at;
  at = put(at, lasts, 4 * full, 4 * full);
  at = put(at, impacts, full + hasTail, impactBytes);
  at = put(at, gapWidths, full, pad(full));
  put(at, frequencyWidths, full, pad(full));
  merged.postingsBytes = postingsOut - merged.postings;
  at = positionsStart - positionsHeader(count);
  merged.positions = at;
  at = put(at, ends, 4 * full, 4 * full);
  at = put(at, countWidths, full, pad(full));
  put(at, signatures, count, full > 0 ? pad(count) : count);
  merged.positionsBytes = positionsOut - merged.positions;
  merged.standingBytes = merged.ended = 0;
  if (!all || count < STANDING_STORED_FROM) return count;
  if ((u64)(positionsLimit - positionsOut) < standingRoom(count)) return -1;
  u8 *end;
  merged.ended = writeStanding(all, count, positionsOut, positionsLimit, &merged.standing, &end);
  if (merged.ended > 0) merged.standingBytes = end - merged.standing;
  return count;
}
