/** The free route with the public keys of signed answers. */
import { z } from 'zod'
import type { SigningKeys } from '../../infra/data-dir/signing-keys.ts'
import { keyDirectoryPath, keyDirectoryType } from '../../schemas/signed-answers.ts'
import type { FreeRoute } from '../free-route.ts'
import { described } from '../resource.ts'

const epochSec = z.int().min(0)

const keySchema = z.strictObject({
  kty: described('now', z.literal('OKP'), 'Kind of the key (RFC 8037).'),
  crv: described('now', z.literal('Ed25519'), 'Its curve.'),
  x: described('now', z.string(), 'The public key, base64url.'),
  kid: described('now', z.string(), 'Thumbprint of the key (RFC 7638). Signatures name it as `keyid`.'),
  use: described('now', z.literal('sig'), 'For signatures.'),
  nbf: described('now', epochSec, 'First second in which the key signs, epoch seconds.'),
  exp: described('now', epochSec, 'Last second in which the key signs. Missing for the newest key.').optional(),
})

export const createKeyDirectory = ({ published }: Pick<SigningKeys, 'published'>): FreeRoute => ({
  patterns: [keyDirectoryPath],
  description: 'The public keys of signed answers, as JSON Web Keys: also those that no longer sign.',
  mediaType: keyDirectoryType,
  isFrozen: true,
  // The keys are in memory. Each request reads them, so that a new key is seen at once.
  changesEveryMs: 0,
  schema: z.strictObject({ keys: described('now', z.array(keySchema), 'The keys, the newest first.') }),
  answer: async () => ({ keys: await published() }),
})
