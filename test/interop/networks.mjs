// The two networks as the packages name them.
import { base, baseSepolia } from "viem/chains";

const networks = {
  8453: { chain: base, v1: "base", v2: "eip155:8453" },
  84532: { chain: baseSepolia, v1: "base-sepolia", v2: "eip155:84532" },
};

export function networkOf(chainId) {
  const network = networks[chainId];
  if (!network) throw new Error(`chain ${chainId} is not one of ${Object.keys(networks).join(", ")}`);
  return network;
}
