// Pictures for tests: one colour, as large as is said.
import { crc32, deflateSync } from "node:zlib";

const chunk = (type, data) => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]), b = Buffer.alloc(body.length + 8);
  b.writeUInt32BE(data.length);
  body.copy(b, 4);
  b.writeUInt32BE(crc32(body), body.length + 4);
  return b;
};

/** png is a picture of that size in px, the bytes of a colour in each. */
export function png(width, height, [r, g, b] = [200, 150, 60]) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, Buffer.from([r, g, b]))]);
  const rows = Buffer.concat(Array.from({ length: height }, () => row));
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}
