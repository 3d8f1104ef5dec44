import { expect } from 'chai'
import { createHash, createPrivateKey, sign } from 'node:crypto'
import fc from 'fast-check'
import { nodeBytes } from '../../adapters/engines/audit/bytes.ts'
import { verifyEd25519 } from '../../adapters/engines/audit/signer.ts'
import { canonical } from '../../domain/audit/canonical.ts'
import {
  consistencyRanges,
  inclusionRanges,
  isConsistent,
  leafHashOf,
  rootOfInclusion,
  sameHash,
  type Hash,
  type Range,
} from '../../domain/audit/merkle.ts'
import {
  checkpointText,
  openNote,
  parseCheckpoint,
  parseVerifier,
  signNote,
  verifierOf,
  verifierText,
} from '../../domain/audit/signed-note.ts'
import { grow, hashFromTiles, TILE_SIZE, type TileHash } from '../../domain/audit/tiles.ts'

const { sha256 } = nodeBytes
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** The definitions of RFC 6962 §2.1, implemented literally over the leaves. */
const H = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest()
const k = (n: number): number => 2 ** (Math.ceil(Math.log2(n)) - 1)
const MTH = (D: Buffer[]): Buffer =>
  D.length === 0
    ? H()
    : D.length === 1
      ? H(Buffer.of(0), D[0]!)
      : H(Buffer.of(1), MTH(D.slice(0, k(D.length))), MTH(D.slice(k(D.length))))
const PATH = (m: number, D: Buffer[]): Buffer[] => {
  if (D.length === 1) return []
  const at = k(D.length)
  return m < at
    ? [...PATH(m, D.slice(0, at)), MTH(D.slice(at))]
    : [...PATH(m - at, D.slice(at)), MTH(D.slice(0, at))]
}
const SUBPROOF = (m: number, D: Buffer[], b: boolean): Buffer[] => {
  if (m === D.length) return b ? [] : [MTH(D)]
  const at = k(D.length)
  return m <= at
    ? [...SUBPROOF(m, D.slice(0, at), b), MTH(D.slice(at))]
    : [...SUBPROOF(m - at, D.slice(at), false), MTH(D.slice(0, at))]
}

/** Returns a tree in tiles, grown in the given steps. */
const treeOf = (leaves: Buffer[], steps: readonly number[]) => {
  const tiles = new Map<string, Hash[]>()
  let open: readonly TileHash[] = []
  let size = 0
  for (const step of [...steps, leaves.length]) {
    const added = leaves
      .slice(size, Math.max(size, step))
      .map((leaf) => ({ hash: leafHashOf(sha256, leaf), position: null }))
    const growth = grow(sha256, open, size, added)
    size += added.length
    open = growth.open
    for (const { level, index, hashes } of growth.full)
      tiles.set(
        `${level}/${index}`,
        hashes.map(({ hash }) => hash),
      )
  }
  const tileOf = (level: number, index: number): readonly Hash[] =>
    tiles.get(`${level}/${index}`) ??
    open
      .filter((each) => each.level === level && Math.floor(each.index / TILE_SIZE) === index)
      .map(({ hash }) => hash)
  return (range: Range): Hash => hashFromTiles(sha256, range, tileOf)
}

const numbered = (count: number): Buffer[] =>
  Array.from({ length: count }, (_, i) => Buffer.from(`leaf ${i}`))

describe('Proofs of the audit tree', () => {
  /** From the reference implementation of Certificate Transparency. */
  const inputs = [
    '',
    '00',
    '10',
    '2021',
    '3031',
    '40414243',
    '5051525354555657',
    '606162636465666768696a6b6c6d6e6f',
  ]
  const roots = [
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ]

  it('AUD-01 have the published roots of Certificate Transparency', () => {
    const leaves = inputs.map((input) => Buffer.from(input, 'hex'))
    const tree = treeOf(leaves, [3, 5])
    for (const [i, root] of roots.entries()) expect(hex(tree([0, i + 1]))).to.equal(root)
    expect(hex(tree([0, 0]))).to.equal('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  })

  it('AUD-01 every proof over up to 35 leaves equals that of the RFC, and can be verified', () => {
    const leaves = numbered(35)
    const tree = treeOf(leaves, [1, 2, 9, 20])
    for (let size = 1; size <= leaves.length; size++) {
      const D = leaves.slice(0, size)
      const root = tree([0, size])
      expect(hex(root)).to.equal(hex(MTH(D)))
      for (let index = 0; index < size; index++) {
        const proof = inclusionRanges(index, [0, size]).map(tree)
        expect(proof.map(hex)).to.deep.equal(PATH(index, D).map(hex))
        const reached = rootOfInclusion(sha256, index, size, leafHashOf(sha256, leaves[index]!), proof)
        expect(reached !== null && sameHash(reached, root)).to.equal(true)
      }
      for (let from = 1; from <= size; from++) {
        const proof = consistencyRanges(from, size).map(tree)
        expect(proof.map(hex)).to.deep.equal(SUBPROOF(from, D, true).map(hex))
        const earlier = { size: from, root: tree([0, from]) }
        expect(isConsistent(sha256, earlier, { size, root }, proof), `${from} to ${size}`).to.equal(true)
      }
    }
  })

  it('AUD-01 proofs over full tiles are the same, however the tree grew', function () {
    this.timeout(60_000)
    const leaves = numbered(TILE_SIZE * 3 + 77)
    const root = hex(MTH(leaves))
    fc.assert(
      fc.property(
        fc.array(fc.nat(leaves.length), { maxLength: 6 }),
        fc.nat(leaves.length - 1),
        (steps, index) => {
          const tree = treeOf(
            leaves,
            [...steps].sort((a, b) => a - b),
          )
          expect(hex(tree([0, leaves.length]))).to.equal(root)
          expect(inclusionRanges(index, [0, leaves.length]).map(tree).map(hex)).to.deep.equal(
            PATH(index, leaves).map(hex),
          )
          const proof = consistencyRanges(index + 1, leaves.length).map(tree)
          expect(proof.map(hex)).to.deep.equal(SUBPROOF(index + 1, leaves, true).map(hex))
        },
      ),
      { numRuns: 15 },
    )
    const large = numbered(TILE_SIZE * TILE_SIZE + 3)
    expect(hex(treeOf(large, [70, 5000])([0, large.length]))).to.equal(hex(MTH(large)))
  })

  it('AUD-01 no changed proof, leaf, index, size or root verifies', () => {
    const leaves = numbered(40)
    const tree = treeOf(leaves, [])
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 40 }),
        fc.nat(39),
        fc.nat(9),
        fc.nat(31),
        (size, at, which, byte) => {
          const index = at % size
          const root = tree([0, size])
          const leaf = leafHashOf(sha256, leaves[index]!)
          const proof = inclusionRanges(index, [0, size]).map(tree)
          const reaches = (i: number, n: number, of: Hash, path: readonly Hash[]): boolean => {
            const computed = rootOfInclusion(sha256, i, n, of, path)
            return computed !== null && sameHash(computed, root)
          }
          const bent = (hashes: readonly Hash[]): Hash[] =>
            hashes.map((hash, i) =>
              i === which % hashes.length ? Uint8Array.from(hash, (b, j) => (j === byte ? b ^ 1 : b)) : hash,
            )
          expect(reaches(index, size, leaf, proof)).to.equal(true)
          expect(reaches(index, size, leaf, bent(proof))).to.equal(false)
          expect(reaches(index, size, leaf, [...proof, leaf])).to.equal(false)
          expect(reaches(index, size, leaf, proof.slice(1))).to.equal(false)
          expect(reaches((index + 1) % size, size, leaf, proof)).to.equal(false)
          expect(reaches(index, size, tree([0, 1]), proof)).to.equal(index === 0)
          const from = index + 1
          const earlier = { size: from, root: tree([0, from]) }
          const later = { size, root }
          const consistency = consistencyRanges(from, size).map(tree)
          expect(isConsistent(sha256, earlier, later, consistency)).to.equal(true)
          expect(isConsistent(sha256, later, earlier, consistency)).to.equal(from === size)
          expect(isConsistent(sha256, { ...earlier, root: leaf }, later, consistency)).to.equal(
            sameHash(leaf, earlier.root),
          )
          expect(isConsistent(sha256, earlier, { ...later, root: leaf }, consistency)).to.equal(false)
          if (consistency.length > 0)
            expect(isConsistent(sha256, earlier, later, bent(consistency))).to.equal(false)
          expect(isConsistent(sha256, earlier, later, [...consistency, leaf])).to.equal(false)
        },
      ),
    )
    expect(rootOfInclusion(sha256, 1, 1, sha256(), [])).to.equal(null)
    expect(rootOfInclusion(sha256, -1, 1, sha256(), [])).to.equal(null)
    expect(isConsistent(sha256, { size: 0, root: sha256() }, { size: 1, root: sha256() }, [])).to.equal(false)
    expect(isConsistent(sha256, { size: 3, root: sha256() }, { size: 4, root: sha256() }, [])).to.equal(false)
  })
})

describe('Signed notes', () => {
  /** Key, text and note of Go's golang.org/x/mod/sumdb/note. */
  const peter = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
  const enoch = 'EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop'
  const text =
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
  const peterSignature =
    '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n'
  const enochSignature =
    '— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n'
  const open = (note: string, ...keys: string[]) =>
    openNote(
      nodeBytes,
      note,
      keys.map((key) => parseVerifier(nodeBytes, key)!),
      verifyEd25519,
    )

  it('AUD-01 reads and writes Go’s keys, and rejects altered ones', () => {
    const verifier = parseVerifier(nodeBytes, peter)!
    expect(verifier.name).to.equal('PeterNeumann')
    expect(verifierText(nodeBytes, verifier)).to.equal(peter)
    for (let from = 0; from < peter.length; from++)
      for (let to = from + 1; to <= peter.length; to++)
        if (to - from < peter.length) expect(parseVerifier(nodeBytes, peter.slice(from, to))).to.equal(null)
    for (const bad of [
      'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==',
      'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    ])
      expect(parseVerifier(nodeBytes, bad)).to.equal(null)
    expect(() => verifierOf(nodeBytes, 'two words', verifier.publicKey)).to.throw('spaces')
    expect(() => verifierOf(nodeBytes, 'x', verifier.publicKey.slice(1))).to.throw('32 bytes')
  })

  it('AUD-01 signs like Go', () => {
    const raw = Buffer.from('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz', 'base64').subarray(1)
    const key = createPrivateKey({
      key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), raw]),
      format: 'der',
      type: 'pkcs8',
    })
    const note = signNote(nodeBytes, text, parseVerifier(nodeBytes, peter)!, (signed) =>
      sign(null, Buffer.from(signed), key),
    )
    expect(note).to.equal(`${text}\n${peterSignature}`)
    expect(() => signNote(nodeBytes, 'abc', parseVerifier(nodeBytes, peter)!, () => raw)).to.throw(
      'line feed',
    )
  })

  it('AUD-01 opens notes that a known key signed, and rejects malformed and forged ones', () => {
    const both = `${text}\n${peterSignature}${enochSignature}`
    expect(open(both, peter)).to.equal(text)
    expect(open(both, enoch)).to.equal(text)
    expect(open(both, peter, enoch)).to.equal(text)
    expect(open(both)).to.equal(null)
    const wrong = `${peterSignature.slice(0, 60)}ABCD${peterSignature.slice(60)}`
    for (const bad of [
      text,
      `${text}\n`,
      `${text}\n${peterSignature.slice(0, -1)}`,
      `\u0001${text}\n${peterSignature}`,
      `${text}\n— Bad Name x08go/ZJkuBS9UG=`,
      `${text}\n${peterSignature}Unexpected line.\n`,
      `${text}\n${wrong}`,
      `${text}x\n${peterSignature}`,
      `${text.replace('know', 'knew')}\n${peterSignature}`,
      `${text}\n${peterSignature.repeat(101)}`,
      `${text}\n${peterSignature.replace('PeterNeumann', 'CarmenSandiego')}`,
    ])
      expect(open(bad, peter), bad).to.equal(null)
  })

  it('AUD-01 a checkpoint is origin, size and root, in the format of Go’s checksum database', () => {
    const golden = 'go.sum database tree\n123456789012\nTszzRgjTG6xce+z2AG31kAXYKBgQVtCSCE40HmuwBb0=\n'
    const root = leafHashOf(sha256, 'hello world')
    const checkpoint = { origin: 'go.sum database tree', size: 123456789012, root }
    expect(checkpointText(nodeBytes, checkpoint)).to.equal(golden)
    const parsed = parseCheckpoint(nodeBytes, `${golden}JOE\n`)!
    expect([parsed.origin, parsed.size, hex(parsed.root)]).to.deep.equal([
      checkpoint.origin,
      checkpoint.size,
      hex(root),
    ])
    for (const bad of [
      golden.replace('123456789012', '0xabcdef'),
      golden.replace('123456789012', '012'),
      golden.replace('wBb0=', 'wBTOOBIG='),
      golden.slice(0, -1),
      `\n${golden}`,
    ])
      expect(parseCheckpoint(nodeBytes, bad), bad).to.equal(null)
  })
})

describe('Canonical JSON', () => {
  it('AUD-01 writes the examples of RFC 8785', () => {
    const example = JSON.parse(
      `{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
        "string":"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}`,
    ) as unknown
    expect(Buffer.from(canonical(example)).toString('hex')).to.equal(
      Buffer.from(
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
          '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
      ).toString('hex'),
    )
    const sorted = JSON.parse(
      '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",' +
        '"\\ud83d\\ude00":"Emoji: Grinning Face","\\u0080":"Control","\\u00f6":"Latin Small Letter O With Diaeresis"}',
    ) as unknown
    expect(
      Object.values(
        JSON.parse(
          `[${canonical(sorted)
            .replace(/^\{|\}$/g, '')
            .replace(/"(?:[^"\\]|\\.)*":/g, '')}]`,
        ) as string[],
      ),
    ).to.deep.equal([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ])
  })

  it('AUD-01 writes numbers as RFC 8785 appendix B does', () => {
    const numbers: readonly (readonly [string, string])[] = [
      ['0000000000000000', '0'],
      ['8000000000000000', '0'],
      ['0000000000000001', '5e-324'],
      ['7fefffffffffffff', '1.7976931348623157e+308'],
      ['4340000000000000', '9007199254740992'],
      ['4430000000000000', '295147905179352830000'],
      ['44b52d02c7e14af5', '9.999999999999997e+22'],
      ['44b52d02c7e14af6', '1e+23'],
      ['444b1ae4d6e2ef4e', '999999999999999700000'],
      ['3eb0c6f7a0b5ed8d', '0.000001'],
      ['41b3de4355555553', '333333333.3333332'],
      ['becbf647612f3696', '-0.0000033333333333333333'],
      ['43143ff3c1cb0959', '1424953923781206.2'],
    ]
    for (const [bits, written] of numbers)
      expect(canonical(Buffer.from(bits, 'hex').readDoubleBE()), bits).to.equal(written)
    for (const bad of [NaN, Infinity, () => 1, 1n]) expect(() => canonical(bad)).to.throw(TypeError)
  })

  it('AUD-01 the same members in any order give the same text, for every event', () => {
    expect(canonical({ b: 1, a: { d: undefined, c: [2] } })).to.equal('{"a":{"c":[2]},"b":1}')
    expect(canonical({ a: '\ud800', b: '\u0000' })).to.equal('{"a":"\\ud800","b":"\\u0000"}')
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonical(value)
        expect(canonical(JSON.parse(text))).to.equal(text)
      }),
    )
  })
})
