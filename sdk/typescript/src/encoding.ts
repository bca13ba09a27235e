const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

export function base64OfJSON(value: unknown): string {
  let binary = "";
  for (const byte of encoder.encode(JSON.stringify(value))) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** The value of a header that is JSON in base64, or undefined if it is neither. */
export function jsonOfBase64(text: string): unknown {
  try {
    return JSON.parse(decoder.decode(bytesOfBase64(text)));
  } catch {
    return undefined;
  }
}

/** Random bytes in hex. crypto.randomUUID is missing in pages that did not come by HTTPS. */
export function randomHex(length: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
