/*
 * Holds what Syzygy files say of random positions against what they say of the positions after each move, probed by
 * Fathom (https://github.com/jdart1/Fathom), which reads the files without knowing who wrote them. Together with mates and
 * stalemates, which need no file, that fixes every value but those of positions that lead around in circles.
 *
 *     cc -O2 -w -I FATHOM/src -o syzygy_moves tests/reference/syzygy_moves.c
 *     ./syzygy_moves FOLDER POSITIONS SEED [MATERIAL...] > values.txt
 *
 * POSITIONS of each material, without materials of all of five men in FOLDER; half of those with pawns on both sides have
 * an en-passant capture where one is legal. Every position is written to stdout with its result (-2 to 2) and its
 * distance to zeroing, so that two folders, or other readers, can be compared (`cmp`). Differences go to stderr.
 *
 *     ./syzygy_moves FOLDER all 0 MATERIAL... > sums.txt
 *
 * goes through every legal position instead, one of each set of mirror images, with all en-passant captures, and writes for
 * each material their number and a sum of all values, to be compared with that of another folder.
 *
 * Exit code: 0 none; 1 some, or a table cannot be probed.
 */
#include "tbprobe.c"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static unsigned below(unsigned n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 33) % n);
}

/* Puts a man on the board; 0 if it cannot stand there. */
static int put(Pos *pos, char man, int black, unsigned square) {
    uint64_t bit = 1ULL << square;
    if ((pos->white | pos->black) & bit)
        return 0;
    if (man == 'P' && (square < 8 || square > 55))
        return 0;
    *(black ? &pos->black : &pos->white) |= bit;
    switch (man) {
    case 'K': pos->kings |= bit; break;
    case 'Q': pos->queens |= bit; break;
    case 'R': pos->rooks |= bit; break;
    case 'B': pos->bishops |= bit; break;
    case 'N': pos->knights |= bit; break;
    default: pos->pawns |= bit;
    }
    return 1;
}

/* Gives the position an en-passant square if a capture there is legal. */
static void try_en_passant(Pos *pos) {
    uint64_t enemy = pos->turn ? pos->black : pos->white;
    uint64_t occupied = pos->white | pos->black;
    for (unsigned file = 0; file < 8; file++) {
        unsigned to = (pos->turn ? 40 : 16) + file;
        uint64_t behind = 1ULL << (pos->turn ? to + 8 : to - 8);
        uint64_t pawn = 1ULL << (pos->turn ? to - 8 : to + 8);
        if (!(enemy & pos->pawns & pawn) || occupied & (behind | 1ULL << to))
            continue;
        pos->ep = (uint8_t)to;
        TbMove moves[TB_MAX_MOVES], *end = gen_legal(pos, moves);
        for (TbMove *move = moves; move < end; move++)
            if (is_en_passant(pos, *move))
                return;
        pos->ep = 0;
    }
}

static int random_position(const char *material, Pos *pos) {
    int black = 0, swap = (int)below(2);
    memset(pos, 0, sizeof *pos);
    for (const char *man = material; *man; man++) {
        if (*man == 'v')
            black = 1;
        else if (!put(pos, *man, black ^ swap, below(64)))
            return 0;
    }
    pos->turn = below(2);
    if (!is_legal(pos))
        return 0;
    if (pos->pawns & pos->white && pos->pawns & pos->black && below(2))
        try_en_passant(pos);
    return 1;
}

static void print(FILE *to, const Pos *pos, int wdl, int dtz) {
    char fen[100], *at = fen;
    for (int rank = 7; rank >= 0; rank--) {
        int empty = 0;
        for (int file = 0; file < 8; file++) {
            uint64_t bit = 1ULL << (8 * rank + file);
            if (!((pos->white | pos->black) & bit)) {
                empty++;
                continue;
            }
            if (empty)
                *at++ = (char)('0' + empty);
            empty = 0;
            char man = pos->kings & bit     ? 'k'
                       : pos->queens & bit  ? 'q'
                       : pos->rooks & bit   ? 'r'
                       : pos->bishops & bit ? 'b'
                       : pos->knights & bit ? 'n'
                                            : 'p';
            *at++ = pos->white & bit ? (char)(man - 32) : man;
        }
        if (empty)
            *at++ = (char)('0' + empty);
        if (rank)
            *at++ = '/';
    }
    *at = 0;
    char square[3] = "-";
    if (pos->ep) {
        square[0] = (char)('a' + pos->ep % 8);
        square[1] = (char)('1' + pos->ep / 8);
        square[2] = 0;
    }
    fprintf(to, "%s %c - %s 0 1;%d;%d\n", fen, pos->turn ? 'w' : 'b', square, wdl, dtz);
}

/* The distance to zeroing by the positions after each move; INT_MAX if one cannot be probed. */
static int by_moves(Pos *pos) {
    static const int zeroing[] = {-1, -101, 0, 101, 1};
    TbMove moves[TB_MAX_MOVES], *end = gen_legal(pos, moves);
    if (moves == end)
        return is_check(pos) ? -1 : 0;
    int win = INT_MAX, drawn = 0, loss = 0;
    for (TbMove *move = moves; move < end; move++) {
        Pos after;
        int success = 1, value;
        do_move(&after, pos, *move);
        if (is_mate(&after)) {
            value = 1;
        } else if (is_capture(pos, *move) || type_of_piece_moved(pos, *move) == PAWN) {
            value = zeroing[2 - probe_wdl(&after, &success)];
        } else {
            value = -probe_dtz(&after, &success);
            value += (value > 0) - (value < 0);
        }
        if (!success)
            return INT_MAX;
        if (value > 0 && value < win)
            win = value;
        drawn |= value == 0;
        if (value < loss)
            loss = value;
    }
    return win < INT_MAX ? win : drawn ? 0 : loss;
}

/* Whether a position's values agree with each other and with its moves. Distances may be rounded by one ply. */
static int agrees(int wdl, int dtz, int moves) {
    int by_dtz = dtz > 100 ? 1 : dtz > 0 ? 2 : dtz == 0 ? 0 : dtz >= -100 ? -2 : -1;
    int sign = (moves > 0) - (moves < 0);
    return wdl == by_dtz && (wdl > 0) - (wdl < 0) == sign && abs(dtz - moves) <= 1;
}

static int check(const char *material, long count, long *different) {
    for (long n = 0; n < count;) {
        Pos pos;
        if (!random_position(material, &pos))
            continue;
        n++;
        int found = 1, probed = 1;
        int wdl = probe_wdl(&pos, &found), dtz = probe_dtz(&pos, &probed), moves = by_moves(&pos);
        if (!found || !probed || moves == INT_MAX) {
            fprintf(stderr, "%s cannot be probed\n", material);
            return 1;
        }
        print(stdout, &pos, wdl, dtz);
        if (!agrees(wdl, dtz, moves) && ++*different < 20) {
            fprintf(stderr, "%s: by its moves %d plies: ", material, moves);
            print(stderr, &pos, wdl, dtz);
        }
    }
    return 0;
}

/* A sum over values that depends on their order. */
static uint64_t sum;
static long summed;

/* Adds the values of a position, if it is legal. */
static int add(Pos *pos) {
    int found = 1, probed = 1;
    if (!is_legal(pos))
        return 0;
    int wdl = probe_wdl(pos, &found), dtz = probe_dtz(pos, &probed);
    sum = (sum ^ (uint64_t)(wdl + 3) ^ (uint64_t)(dtz + 1000) << 8) * 0x9E3779B97F4A7C15ULL;
    sum ^= sum >> 29;
    summed++;
    return !found || !probed;
}

/* Adds all positions with these men put, the rest of the material to be put yet. */
static int add_all(const char *rest, int black, const Pos *before, unsigned last) {
    if (*rest == 'v')
        return add_all(rest + 1, 1, before, 0);
    if (!*rest) {
        for (int turn = 0; turn < 2; turn++) {
            Pos pos = *before;
            pos.turn = (uint8_t)turn;
            if (add(&pos))
                return 1;
            if (pos.pawns & pos.white && pos.pawns & pos.black && is_legal(&pos)) {
                try_en_passant(&pos);
                if (pos.ep && add(&pos))
                    return 1;
            }
        }
        return 0;
    }
    /* Like men stand in order, the first king on one wing, without pawns in a triangle. */
    int like = rest[-1] == *rest;
    for (unsigned square = like ? last + 1 : 0; square < 64; square++) {
        Pos pos = *before;
        if (!(pos.white | pos.black)) {
            unsigned file = square % 8, rank = square / 8;
            if (file > 3 || (!strchr(rest, 'P') && rank > file))
                continue;
        }
        if (put(&pos, *rest, black, square) && add_all(rest + 1, black, &pos, square))
            return 1;
    }
    return 0;
}

/* Writes the number of all positions of a material and the sum of their values. */
static int sum_all(const char *material) {
    char men[20] = " ";
    Pos none;
    memset(&none, 0, sizeof none);
    strncat(men, material, 18);
    sum = summed = 0;
    if (add_all(men + 1, 0, &none, 0)) {
        fprintf(stderr, "%s cannot be probed\n", material);
        return 1;
    }
    printf("%s %ld %016llx\n", material, summed, (unsigned long long)sum);
    fflush(stdout);
    return 0;
}

int main(int count, char **arguments) {
    if (count < 4) {
        fprintf(stderr, "usage: syzygy_moves FOLDER POSITIONS|all SEED [MATERIAL...]\n");
        return 2;
    }
    if (!tb_init(arguments[1])) {
        fprintf(stderr, "%s cannot be read\n", arguments[1]);
        return 1;
    }
    long positions = atol(arguments[2]), different = 0, tables = 0;
    state = 88172645463325252ULL + 7919 * (uint64_t)atol(arguments[3]);
    char *names[2000];
    for (int n = 4; n < count; n++)
        names[tables++] = arguments[n];
    DIR *folder = tables ? NULL : opendir(arguments[1]);
    for (struct dirent *file; folder && tables < 2000 && (file = readdir(folder));) {
        char *end = strstr(file->d_name, ".rtbw");
        if (end && end - file->d_name == 6) {
            *end = 0;
            names[tables++] = strdup(file->d_name);
        }
    }
    int failed = 0;
    if (!strcmp(arguments[2], "all")) {
        for (long n = 0; n < tables; n++)
            failed |= sum_all(names[n]);
        return failed;
    }
    for (long n = 0; n < tables; n++)
        failed |= check(names[n], positions, &different);
    fprintf(stderr, "%ld materials, %ld positions, %ld differences\n", tables, tables * positions, different);
    return failed || different;
}
