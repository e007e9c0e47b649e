#define _GNU_SOURCE
#include "signals.h"

#include <stdlib.h>

/* The reading position. Reading at the end returns 0, which JSON does not contain outside strings. */
struct reader {
  const char *at, *end;
};

static char peek(const struct reader *reader) { return reader->at < reader->end ? *reader->at : 0; }

static void skip_blanks(struct reader *reader) {
  while (peek(reader) == ' ' || peek(reader) == '\t' || peek(reader) == '\n' || peek(reader) == '\r') reader->at++;
}

static int digit(char byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
  if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
  return -1;
}

/* Reads the four digits of \uXXXX; returns -1 if they are invalid. */
static long code_unit(struct reader *reader) {
  long unit = 0;
  int index;
  for (index = 0; index < 4; index++) {
    int value = digit(peek(reader));
    if (value < 0) return -1;
    unit = unit * 16 + value;
    reader->at++;
  }
  return unit;
}

static char *append_utf8(char *to, long scalar) {
  if (scalar < 0x80) {
    *to++ = (char)scalar;
  } else if (scalar < 0x800) {
    *to++ = (char)(0xc0 | scalar >> 6);
    *to++ = (char)(0x80 | (scalar & 0x3f));
  } else if (scalar < 0x10000) {
    *to++ = (char)(0xe0 | scalar >> 12);
    *to++ = (char)(0x80 | (scalar >> 6 & 0x3f));
    *to++ = (char)(0x80 | (scalar & 0x3f));
  } else {
    *to++ = (char)(0xf0 | scalar >> 18);
    *to++ = (char)(0x80 | (scalar >> 12 & 0x3f));
    *to++ = (char)(0x80 | (scalar >> 6 & 0x3f));
    *to++ = (char)(0x80 | (scalar & 0x3f));
  }
  return to;
}

/* Appends the character of an escape sequence, after its backslash, to `*to`; returns 0 if it is invalid or a NUL. */
static int unescape(struct reader *reader, char **to) {
  static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  char escape = peek(reader);
  const char *known = escape != 0 ? strchr(escapes, escape) : NULL;
  long unit;
  reader->at++;
  if (known != NULL) {
    *(*to)++ = meanings[known - escapes];
    return 1;
  }
  if (escape != 'u') return 0;
  unit = code_unit(reader);
  if (unit >= 0xd800 && unit < 0xdc00 && reader->end - reader->at >= 6 && reader->at[0] == '\\' && reader->at[1] == 'u') {
    long low;
    reader->at += 2;
    low = code_unit(reader);
    if (low < 0xdc00 || low > 0xdfff) return 0;
    unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
  }
  if (unit <= 0 || (unit >= 0xd800 && unit <= 0xdfff)) return 0;
  *to = append_utf8(*to, unit);
  return 1;
}

/* Reads the string that begins here into new memory; returns NULL if it is invalid. The text is never longer than its JSON. */
static char *read_string(struct reader *reader) {
  char *string, *to;
  if (peek(reader) != '"') return NULL;
  reader->at++;
  string = to = (char *)malloc((size_t)(reader->end - reader->at) + 1);
  if (string == NULL) return NULL;
  while (reader->at < reader->end && *reader->at != '"') {
    if (*reader->at == 0) break;
    if (*reader->at == '\\') {
      reader->at++;
      if (!unescape(reader, &to)) break;
    } else {
      *to++ = *reader->at++;
    }
  }
  if (peek(reader) != '"') {
    free(string);
    return NULL;
  }
  reader->at++;
  *to = 0;
  return string;
}

/* Skips the string that begins here. */
static void skip_string(struct reader *reader) {
  reader->at++;
  while (reader->at < reader->end && *reader->at != '"') reader->at += *reader->at == '\\' && reader->end - reader->at > 1 ? 2 : 1;
  if (reader->at < reader->end) reader->at++;
}

/* Skips a value, up to the comma or bracket after it. The host guarantees JSON; for anything else, reading at least stays within the text. Not recursive,
 * because the nesting may be as deep as the text is long. */
static void skip_value(struct reader *reader) {
  size_t depth = 0;
  while (reader->at < reader->end) {
    char byte = *reader->at;
    if (byte == '"') {
      skip_string(reader);
      continue;
    }
    if (depth == 0 && (byte == ',' || byte == '}' || byte == ']')) return;
    if (byte == '{' || byte == '[') depth++;
    if (byte == '}' || byte == ']') depth--;
    reader->at++;
  }
}

int json_text(penstock_text json, const char *name, char **value) {
  struct reader reader;
  *value = NULL;
  if (json.length == 0) return -1;
  reader.at = json.bytes;
  reader.end = json.bytes + json.length;
  skip_blanks(&reader);
  if (peek(&reader) != '{') return -1;
  reader.at++;
  for (;;) {
    char *member;
    int is_wanted;
    skip_blanks(&reader);
    if (peek(&reader) == '}') return 0;
    member = read_string(&reader);
    if (member == NULL) return -1;
    is_wanted = strcmp(member, name) == 0;
    free(member);
    skip_blanks(&reader);
    if (peek(&reader) != ':') return -1;
    reader.at++;
    skip_blanks(&reader);
    if (is_wanted) {
      *value = read_string(&reader);
      return *value != NULL ? 1 : -1;
    }
    skip_value(&reader);
    skip_blanks(&reader);
    if (peek(&reader) == ',') reader.at++;
    else if (peek(&reader) != '}') return -1;
  }
}

char *json_quoted(const char *string) {
  static const char digits[] = "0123456789abcdef";
  char *quoted = (char *)malloc(strlen(string) * 6 + 3), *to = quoted;
  if (quoted == NULL) return NULL;
  *to++ = '"';
  for (; *string != 0; string++) {
    unsigned char byte = (unsigned char)*string;
    if (byte == '"' || byte == '\\') {
      *to++ = '\\';
      *to++ = (char)byte;
    } else if (byte < 0x20 || byte == 0x7f) {
      memcpy(to, "\\u00", 4);
      to += 4;
      *to++ = digits[byte >> 4];
      *to++ = digits[byte & 15];
    } else {
      *to++ = (char)byte;
    }
  }
  *to++ = '"';
  *to = 0;
  return quoted;
}
