// Amounts of USDC are strings with up to six decimals outside, and integers of the smallest unit inside: never floats.
import { UsageError } from "./errors.js";

/** An amount of USDC: `"0.25"`, or `0.25`. */
export type USDC = string | number;

export function unitsOf(amount: USDC, name: string): bigint {
  const match = /^(\d+)(?:\.(\d{1,6}))?$/.exec(String(amount));
  if (!match) throw new UsageError(`${name} is an amount of USDC with up to six decimals, such as "0.25": got ${JSON.stringify(amount)}`);
  return BigInt(match[1]! + (match[2] ?? "").padEnd(6, "0"));
}

export function usdcOf(units: bigint): string {
  const digits = units.toString().padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, "");
}
