// Writes the standing list of a term: the three passes of StandingWriter (standing-writer.ts), and encodeStandingList (standing-list.ts).
#pragma once
#include "layout.h"

#define NEVER 0xffffffffu
#define RADIX_BITS 11
#define RADIX (1 << RADIX_BITS)
#define RADIX_FROM 64 // with fewer values, sorting by insertion takes less time

// The arrays of StandingWriter, by ordinal of the merged segment, and the number of ends. No arrays: no capture has ended.
static struct { const u32 *places, *successors, *firsts; u32 *due; u32 ends; } standing;

INLINE u32 lowWidthOf(u32 losses, u32 limit) {
  const u32 width = __builtin_clz(losses) - __builtin_clz(limit);
  return (u64)losses << width > limit ? width - 1 : width;
}

INLINE u64 bitsOfLosses(u32 losses, u32 limit) {
  if (losses == 0) return 0;
  const u32 width = lowWidthOf(losses, limit);
  return (u64)losses * (width + 1) + ((limit - 1) >> width);
}

// Sorts values, with room for as many others. Returns where they are then.
static u32 *sortAscending(u32 *values, u32 *other, u32 size) {
  static u32 starts[RADIX + 1];
  u32 all = 0;
  if (size < RADIX_FROM) {
    for (u32 i = 1; i < size; i++) {
      const u32 value = values[i];
      u32 at = i;
      for (; at > 0 && values[at - 1] > value; at--) values[at] = values[at - 1];
      values[at] = value;
    }
    return values;
  }
  for (u32 i = 0; i < size; i++) all |= values[i];
  for (u32 shift = 0; shift < 32 && all >> shift; shift += RADIX_BITS) {
    __builtin_memset(starts, 0, sizeof starts);
    for (u32 i = 0; i < size; i++) starts[(values[i] >> shift & (RADIX - 1)) + 1]++;
    for (u32 digit = 0; digit < RADIX; digit++) starts[digit + 1] += starts[digit];
    for (u32 i = 0; i < size; i++) other[starts[values[i] >> shift & (RADIX - 1)]++] = values[i];
    u32 *const sorted = other;
    other = values;
    values = sorted;
  }
  return values;
}

// The most bytes that writeStanding needs for a list.
INLINE u64 standingRoom(u64 count) { return 16 + 5 * count + 8 * count; }

// Writes the standing list of a term between `out` and `limit`, which are at least standingRoom apart. Returns the number of its captures
// that had ended; if that is 0, nothing is written. Sets where the list begins and ends.
static u32 writeStanding(const u32 *ordinals, u32 count, u8 *out, u8 *limit, u8 **begin, u8 **end) {
  const u32 *const places = standing.places, *const successors = standing.successors, *const firsts = standing.firsts;
  u32 *const due = standing.due;
  u32 ended = 0, replaced = 0, lost = 0;
  for (u32 i = 0; i < count; i++) {
    const u32 ordinal = ordinals[i];
    if (places[ordinal] == NEVER) continue;
    ended++;
    if (successors[ordinal] != NEVER) due[successors[ordinal]]++;
  }
  if (ended == 0) return 0;

  // The words begin behind the room of a header.
  u32 *const words = (u32 *)(((u32)out + 11) & ~3u);
  const u32 bitWords = (count + 31) / 32;
  __builtin_memset(words, 0, 4 * bitWords);
  for (u32 i = 0; i < count; i++) {
    u32 *const ends = &due[firsts[ordinals[i]]];
    if (*ends == 0) continue;
    --*ends;
    words[i / 32] |= 1u << (i % 32);
    replaced++;
  }
  const int hasBits = count + bitsOfLosses(ended - replaced, standing.ends) < bitsOfLosses(ended, standing.ends);

  u32 *losses = (u32 *)(((u32)limit & ~3u) - 4 * ended);
  for (u32 i = 0; i < count; i++) {
    const u32 ordinal = ordinals[i], place = places[ordinal], successor = successors[ordinal];
    if (place == NEVER) continue;
    const int isLost = !hasBits || successor == NEVER || due[successor] > 0;
    if (isLost) losses[lost++] = place;
    if (successor == NEVER) continue;
    if (!hasBits) due[successor] = 0;
    else if (isLost) due[successor]--;
  }
  losses = sortAscending(losses, losses - lost, lost);

  const u32 last = lost > 0 ? losses[lost - 1] : 0, width = lost > 0 ? lowWidthOf(lost, last + 1) : 0;
  const u32 highsAt = hasBits ? count : 0, lowsAt = highsAt + lost + (last >> width);
  const u32 used = (lowsAt + lost * width + 31) / 32, from = hasBits ? bitWords : 0;
  if (used > from) __builtin_memset(words + from, 0, 4 * (used - from));
  for (u32 i = 0; i < lost; i++) {
    const u32 high = highsAt + (losses[i] >> width) + i;
    words[high / 32] |= 1u << (high % 32);
    const u32 low = lowsAt + i * width, shift = low % 32;
    const u64 bits = (u64)(losses[i] & ((1u << width) - 1)) << shift;
    words[low / 32] |= bits;
    if (shift + width > 32) words[low / 32 + 1] |= bits >> 32;
  }
  u8 header[8] = {0}, *at = header;
  u32 head = 2 * lost + hasBits;
  for (; head > 127; head >>= 7) *at++ = head | 128;
  *at++ = head;
  if (lost > 0) *at++ = width;
  const u32 headerBytes = (at - header + 3) & ~3u;
  *begin = (u8 *)words - headerBytes;
  __builtin_memcpy(*begin, header, headerBytes);
  *end = (u8 *)(words + used);
  return ended;
}
