// The positions of the required lists: which of their captures contain the phrases of a view. Positions take too many bytes to lie in the
// memory, so TypeScript copies the blocks of postings that are needed, one at a time. Their format: segment/positions/position-block.ts.
#pragma once
#include "cursor.h"

// Between two checks of the search time, so many words are looked up in captures. A word with many positions counts several times.
#define BETWEEN_TIMES 1024
#define POSITIONS_OF_ONE 64

// The positions of a block of postings of a required list.
typedef struct {
  const u8 *bytes;
  u32 length;
  u32 block; // or NONE
  // The run of all positions of the block: segment/positions/packed-run.ts.
  u32 run, width, zeros, exceptions;
  u32 starts[BLOCK + 1]; // the index in the run of the first position of each posting; then the length of the run
} PositionBlock;

// The places in one capture where a word of a phrase may be.
typedef struct {
  const PositionBlock *block;
  u32 next, end; // indexes in the run
  u32 place;     // that was read last
  u64 exception; // the index after the exception that was read last
  u32 exceptionsAt;
  u32 offset, endings;
  i32 start; // where the phrase would begin; −1 before the first place
} Places;

static PositionBlock blocks[MAX_LISTS];
static u32 blocksView; // the view whose lists they belong to, or NONE
static u8 *room, *roomFrom, *roomEnd; // where blocks are copied to; the free part begins at `room`
static Places places[MAX_PHRASE_WORDS];
static u32 tested[MAX_LISTS]; // the index of the capture that is tested in each required list
static u32 lookedUp; // since the last check of the search time

// The blocks that were copied are given up, so that there is room for others.
static void forgetBlocks(void) {
  for (u32 i = 0; i < MAX_LISTS; i++) blocks[i].block = NONE;
  room = roomFrom;
}

// A varint has at most eight bytes. After the end all are 0, so the caller may compare `at` with the length once at the end.
INLINE u64 varint(const PositionBlock *p, u32 *at) {
  u64 value = 0;
  for (u32 shift = 0; shift <= 49; shift += 7) {
    const u32 byte = *at < p->length ? p->bytes[*at] : 0;
    (*at)++;
    value |= (u64)(byte & 127) << shift;
    if (byte < 128) return value;
  }
  damaged();
  return 0;
}

// Reads the number of positions of each posting of a full block: segment/positions/escaped-counts.ts. Returns the offset of what follows.
static u32 readCounts(const PositionBlock *p, u32 width, u32 *counts) {
  u32 at = BLOCK / 8 * width;
  if (width > MAX_COUNT_BITS || at > p->length) damaged();
  unpack((const u32 *)p->bytes, width, counts);
  const u32 top = (1u << width) - 1;
  if (width > 0)
    for (u32 i = 0; i < BLOCK; i++)
      if (counts[i] == top) counts[i] += (u32)varint(p, &at);
  return at;
}

// The same of a tail, which lists only the numbers other than 1.
static u32 readTailCounts(const PositionBlock *p, u32 size, u32 *counts) {
  u32 at = 0;
  for (u32 i = 0; i < size; i++) counts[i] = 1;
  u64 i = 0;
  for (u64 others = varint(p, &at); others > 0; others--, i++) {
    i += varint(p, &at);
    if (i >= size) damaged();
    counts[i] = (u32)varint(p, &at);
  }
  return at;
}

// Opens a block of which the bytes are known.
static void openBlock(PositionBlock *p, const List *list, u32 block, u32 countWidth) {
  static u32 counts[BLOCK] __attribute__((aligned(16)));
  const u32 size = block < list->full ? BLOCK : list->count - list->full * BLOCK;
  const u32 at = block < list->full ? readCounts(p, countWidth, counts) : readTailCounts(p, size, counts);
  u64 total = 0;
  for (u32 i = 0; i < size; i++) {
    p->starts[i] = (u32)total;
    total += counts[i];
  }
  p->starts[size] = (u32)total;
  if (at > p->length) damaged();
  if (total == 0) return;
  const u32 code = at < p->length ? p->bytes[at] : 0;
  p->width = code % WITHOUT_ZEROS;
  p->zeros = code < WITHOUT_ZEROS ? 0 : ZERO_BITS;
  p->run = at + 1;
  const u64 exceptions = p->run + (total * p->width + 7) / 8;
  if (p->width == 0 || p->width > MAX_RUN_BITS || exceptions > p->length) damaged();
  p->exceptions = (u32)exceptions;
}

// Opens the block of the tested capture in a list. Returns 0 if there is no room for it.
static int openAt(const View *v, u32 view, u32 use) {
  PositionBlock *p = &blocks[use];
  const u32 block = tested[use] / BLOCK;
  if (p->block == block) return 1;
  p->block = NONE;
  if (room + POSITIONS_HEADER >= roomEnd) return 0;
  // Integers are read four bytes at a time, so three bytes after the last one are read.
  const u32 length = positionBlock(view, use, block, room, (u32)(roomEnd - room) - POSITIONS_HEADER);
  if (length == NONE) return 0;
  p->bytes = room + POSITIONS_HEADER;
  p->length = length;
  openBlock(p, v->uses[use].list, block, *(const u32 *)room);
  p->block = block;
  room += (POSITIONS_HEADER + length + 3 + 15) & ~15u;
  return 1;
}

// The part of an exceptional integer that is not packed.
static u32 exceptionAt(Places *w, u32 index) {
  const PositionBlock *p = w->block;
  for (;;) {
    const u64 at = w->exception + varint(p, &w->exceptionsAt);
    const u32 rest = (u32)varint(p, &w->exceptionsAt);
    if (at > index || w->exceptionsAt > p->length) damaged();
    w->exception = at + 1;
    if (at == index) return rest;
  }
}

static void openPlaces(Places *w, const Word *word) {
  const PositionBlock *p = &blocks[word->use];
  const u32 index = tested[word->use] % BLOCK;
  w->block = p;
  w->next = p->starts[index];
  w->end = p->starts[index + 1];
  w->place = 0;
  w->exception = 0;
  w->exceptionsAt = p->exceptions;
  w->offset = word->offset;
  w->endings = word->endings;
  w->start = -1;
  lookedUp += 1 + (w->end - w->next) / POSITIONS_OF_ONE;
}

// Moves to the first place from which the phrase would begin at `start` or later. Returns 0 if there is none.
static int moveTo(Places *w, i32 start) {
  const PositionBlock *p = w->block;
  const u32 width = p->width, top = (1u << width) - 1, zeros = p->zeros;
  const u8 *run = p->bytes + p->run;
  const i32 least = start + (i32)w->offset;
  u32 place = w->place;
  for (u32 i = w->next; i < w->end; i++) {
    const u32 bit = i * width; // a block has fewer bits than that
    u32 word;
    __builtin_memcpy(&word, run + (bit >> 3), 4);
    u32 value = word >> (bit & 7) & top;
    if (value == top) value += exceptionAt(w, i);
    place += value << zeros;
    const i32 position = (i32)(place >> PLACE_BITS);
    if (position < least || !(w->endings >> (place & ((1 << PLACE_BITS) - 1)) & 1)) continue;
    w->next = i + 1;
    w->place = place;
    w->start = position - (i32)w->offset;
    return 1;
  }
  return 0;
}

// True if the tested capture contains a phrase whose words are open: all of them agree about where it begins.
static int isPhrase(u32 words) {
  if (!moveTo(&places[0], 0)) return 0;
  i32 start = places[0].start;
  for (u32 w = 0, agreed = 1; agreed < words;) {
    if (++w == words) w = 0;
    if (places[w].start < start && !moveTo(&places[w], start)) return 0;
    if (places[w].start == start) agreed++;
    else {
      start = places[w].start;
      agreed = 1;
    }
  }
  return 1;
}

// Opens the blocks of the words of a phrase. Returns 0 if there is no room for all of them.
static int openWords(const View *v, u32 view, const Word *words, u32 count) {
  for (u32 attempt = 0; attempt < 2; attempt++) {
    u32 w = 0;
    while (w < count && openAt(v, view, words[w].use)) w++;
    if (w == count) return 1;
    forgetBlocks();
  }
  return 0;
}

// Tests if the capture at `tested` contains all phrases of a view. Returns 1 if it does, 0 if it does not, and −1 if there is no room for
// its positions.
static int containsPhrases(const View *v, u32 view) {
  if (lookedUp >= BETWEEN_TIMES) {
    lookedUp = 0;
    checkTime();
  }
  if (blocksView != view) forgetBlocks();
  blocksView = view;
  for (u32 from = 0; from < v->wordCount;) {
    const Word *words = v->words + from;
    u32 count = 0;
    while (!words[count++].isLast) {}
    if (!openWords(v, view, words, count)) return -1;
    for (u32 w = 0; w < count; w++) openPlaces(&places[w], &words[w]);
    if (!isPhrase(count)) return 0;
    from += count;
  }
  return 1;
}
