import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { consistencyRanges, inclusionRanges, type Range } from '../../../domain/audit/merkle.ts'
import { verifierText } from '../../../domain/audit/signed-note.ts'
import { findAudit } from '../../../read-models/queries/audit.ts'
import { nodeBytes } from '../../engines/audit/bytes.ts'
import { leafHash } from '../../engines/audit/entries.ts'
import { auditSigner } from '../../engines/audit/signer.ts'
import { checkpoints } from '../../engines/audit/checkpoints.ts'
import { hashesOf, leafIndexOf, treeState } from '../../engines/audit/tree.ts'
import type { Services } from '../../application/services/services.ts'
import { fields, idOf, route, type Route } from '../http/route.ts'
import { existing, readers, Time } from '../http/schemas.ts'

const tag = 'Audit'
const TEXT = 'text/plain'

const Hash = Type.String({ description: 'SHA-256, base64' })
const Size = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

export const Checkpoint = Type.Object(
  {
    origin: Type.String({ description: 'identifies the log, permanently' }),
    size: Type.Integer({ minimum: 0 }),
    rootHash: Hash,
    time: Type.Union([Time, Type.Null()], { description: 'of the last event in the tree' }),
    note: Type.String({ description: 'the signed note (C2SP tlog-checkpoint)' }),
  },
  { title: 'AuditCheckpoint' },
)

const InclusionProof = Type.Object(
  {
    index: Type.Integer(),
    size: Type.Integer(),
    hashes: Type.Array(Hash, { description: 'RFC 6962 §2.1.1, from the leaf up' }),
    leafHash: Hash,
    rootHash: Hash,
    leaf: Type.String({
      description: 'the stored event with personal fields encrypted, as canonical JSON (RFC 8785)',
    }),
  },
  { title: 'AuditInclusionProof' },
)

const ConsistencyProof = Type.Object(
  {
    from: Type.Integer(),
    to: Type.Integer(),
    hashes: Type.Array(Hash, { description: 'RFC 6962 §2.1.2' }),
    fromRootHash: Hash,
    toRootHash: Hash,
  },
  { title: 'AuditConsistencyProof' },
)

const text = (hash: Uint8Array | undefined): string => nodeBytes.toBase64(hash ?? new Uint8Array())

const tooLarge = (field: string, size: number): DomainError =>
  new DomainError(
    'ERR_INVALID',
    `${field}: expected at most ${String(size)}, the size of the tree`,
    `/${field}`,
  )

export const auditProofRoutes = (
  services: Pick<Services, 'pool' | 'vault' | 'publicUrl'>,
): readonly Route[] => {
  const { pool } = services
  const signer = auditSigner(services)
  const currentCheckpoint = checkpoints(pool, signer)

  /** Returns the root over the first leaves, and hashes over further ranges of leaves. */
  const hashed = async (size: number, ranges: readonly Range[]) => {
    const [root, ...hashes] = (await hashesOf(pool, [[0, size], ...ranges])).map(text)
    return { root: root ?? '', hashes }
  }

  return [
    route({
      method: 'GET',
      path: '/audit/checkpoint',
      tag,
      summary: 'Get the signed size and root hash of the audit tree',
      description: `With \`Accept: ${TEXT}\`, returns only the signed note, in the format that transparency-log witnesses use.`,
      access: readers,
      result: Checkpoint,
      produces: [TEXT],
      status: 200,
      errors: [],
      handle: async ({ http }) => {
        const { origin, size, root, time, note } = await currentCheckpoint()
        if (http.accept.includes(TEXT)) return { content: { type: `${TEXT}; charset=utf-8`, data: note } }
        return { body: { origin, size, rootHash: text(root), time, note } }
      },
    }),
    route({
      method: 'GET',
      path: '/audit/consistency',
      tag,
      summary: 'Prove that the log only grew between two checkpoints',
      access: readers,
      query: fields({ from: Size, to: Type.Optional(Size) }),
      result: ConsistencyProof,
      status: 200,
      errors: [],
      handle: async ({ query }) => {
        const { size } = await treeState(pool)
        const { from, to = size } = query
        if (to > size) throw tooLarge('to', size)
        if (from > to) throw tooLarge('from', to)
        const { root, hashes } = await hashed(to, [[0, from], ...consistencyRanges(from, to)])
        const [fromRootHash = '', ...proof] = hashes
        return { body: { from, to, hashes: proof, fromRootHash, toRootHash: root } }
      },
    }),
    route({
      method: 'GET',
      path: '/audit/key.pub',
      tag,
      summary: 'Get the public key of audit checkpoints',
      description: 'One line: name, key id and Ed25519 public key (C2SP signed-note).',
      access: { credentials: ['none'] },
      produces: [TEXT],
      status: 200,
      errors: [],
      handle: async () => ({
        content: { type: `${TEXT}; charset=utf-8`, data: `${verifierText(nodeBytes, await signer())}\n` },
      }),
    }),
    route({
      method: 'GET',
      path: '/audit/{id}/proof',
      tag,
      summary: 'Prove that an entry is in the log',
      description: 'A new entry is in the tree within moments. Until then the response is ERR_UNAVAILABLE.',
      access: readers,
      params: fields({ id: idOf('auditEvent') }),
      query: fields({ size: Type.Optional(Size) }),
      result: InclusionProof,
      status: 200,
      errors: [],
      handle: async ({ params: { id }, query }) => {
        const { position, leaf } = await existing(findAudit(pool, id))
        const { size: all } = await treeState(pool)
        const index = await leafIndexOf(pool, position)
        if (index === null || index >= all)
          throw new DomainError('ERR_UNAVAILABLE', 'The entry is not in the tree yet. Retry in a moment.')
        const { size = all } = query
        if (size > all) throw tooLarge('size', all)
        if (index >= size)
          throw new DomainError(
            'ERR_INVALID',
            `size: expected more than ${String(index)}, the index of the entry`,
            '/size',
          )
        const { root, hashes } = await hashed(size, inclusionRanges(index, [0, size]))
        return {
          body: { index, size, hashes, leafHash: text(leafHash(leaf)), rootHash: root, leaf },
        }
      },
    }),
  ]
}
