import { settle, verify } from "x402/facilitator";
import { PaymentPayloadSchema, PaymentRequirementsSchema } from "x402/types";
import { serveFacilitators } from "./serve.mjs";

serveFacilitators(({ network, client }) => ({
  verify: (payload, requirements) => verify(client, PaymentPayloadSchema.parse(payload), PaymentRequirementsSchema.parse(requirements)),
  settle: (payload, requirements) => settle(client, PaymentPayloadSchema.parse(payload), PaymentRequirementsSchema.parse(requirements)),
  supported: () => ({ kinds: [{ x402Version: 1, scheme: "exact", network: network.v1 }] }),
}));
