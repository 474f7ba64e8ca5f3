// The binary part of the page: base64 text that holds unsigned LEB128 numbers.

export function bytesFromBase64(text) {
  if (Uint8Array.fromBase64)
    return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++)
    bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export class NumberReader {
  constructor(bytes, offset) {
    this.bytes = bytes;
    this.offset = offset;
  }

  // The next number; exact below 2^53.
  next() {
    let byte = this.bytes[this.offset++];
    if (byte < 128)
      return byte;
    let value = byte & 127, factor = 128;
    do {
      byte = this.bytes[this.offset++];
      value += (byte & 127) * factor;
      factor *= 128;
    } while (byte >= 128);
    return value;
  }

  // The next number, exact up to 64 bits.
  nextBig() {
    let value = 0n, shift = 0n, byte;
    do {
      byte = this.bytes[this.offset++];
      value |= BigInt(byte & 127) << shift;
      shift += 7n;
    } while (byte >= 128);
    return value;
  }
}

// The first position in the ascending array from which on values are above `value`.
export function upperBound(array, value, low = 0, high = array.length) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (array[middle] <= value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// The first position in the ascending array from which on values are at least `value`.
export function lowerBound(array, value, low = 0, high = array.length) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (array[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
