import { expect } from 'chai'
import { randomBytes } from 'node:crypto'
import { boxKey } from '../../adapters/engines/vault/aead.ts'
import { recentlySealed } from '../../adapters/engines/vault/recently-sealed.ts'

describe('vault: what was encrypted last', () => {
  const [ann, bob] = [boxKey(randomBytes(32)), boxKey(randomBytes(32))]

  it('is returned once, for the same key and purpose only', () => {
    const recent = recentlySealed(10)
    recent.add('p1.x', { key: ann, aad: 'a', plaintext: 'text' })
    expect(recent.take('p1.x', bob, 'a')).to.equal(undefined)
    expect(recent.take('p1.x', ann, 'b')).to.equal(undefined)
    expect(recent.take('p1.y', ann, 'a')).to.equal(undefined)
    expect(recent.take('p1.x', ann, 'a')).to.equal('text')
    expect(recent.take('p1.x', ann, 'a')).to.equal(undefined)
  })

  it('is limited to the newest, and can be cleared', () => {
    const recent = recentlySealed(3)
    const taken = (sealed: string) => recent.take(sealed, ann, '')
    for (const sealed of ['1', '2', '3', '4', '5'])
      recent.add(sealed, { key: ann, aad: '', plaintext: sealed })
    expect(['1', '2', '3'].map(taken)).to.deep.equal([undefined, undefined, '3'])
    recent.clear()
    expect(['4', '5'].map(taken)).to.deep.equal([undefined, undefined])
  })
})
