import { expect } from 'chai'
import fc from 'fast-check'
import { applyChanges, changesOf, sameValue } from '../../domain/changes.ts'
import { stored } from '../support/domain/given.ts'

const pollution = JSON.parse('{"__proto__":{"isAdmin":true}}') as object
const record = fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 })

/** Only fields with a value: null and missing are the same. */
const filled = (fields: object) => Object.entries(fields).filter(([, value]) => value !== null)

describe('Changes', () => {
  it('API-03 are the sent fields that differ', () => {
    expect(changesOf({ a: 1, b: 2, c: 3 }, { a: 1, b: 5 })).to.deep.equal([{ field: 'b', from: 2, to: 5 }])
    expect(changesOf({}, { a: undefined, b: null })).to.deep.equal([])
    expect(changesOf({ a: 1 }, { a: null })).to.deep.equal([{ field: 'a', from: 1, to: null }])
    expect(changesOf({ a: [1, 2] }, { a: [2, 1] })).to.deep.equal([{ field: 'a', from: [1, 2], to: [2, 1] }])
  })
  it('API-03 ignore the order of keys, at any depth', () => {
    expect(sameValue({ a: { x: 1, y: 2 }, b: 0 }, { b: 0, a: { y: 2, x: 1 } })).to.equal(true)
    expect(sameValue([{ a: 1, b: 2 }], [{ b: 2, a: 1 }])).to.equal(true)
    expect(sameValue(null, undefined)).to.equal(true)
    expect(sameValue('', null)).to.equal(false)
    expect(sameValue(0, '0')).to.equal(false)
    expect(sameValue([], {})).to.equal(false)
  })
  it('API-03 ignore inherited properties', () => {
    expect(changesOf({}, { toString: null, constructor: null })).to.deep.equal([])
    expect(changesOf({}, { toString: 'x' })).to.deep.equal([{ field: 'toString', from: null, to: 'x' }])
  })
  it('API-03 never reach a prototype', () => {
    const next = applyChanges({}, changesOf({}, pollution))
    expect(Object.getPrototypeOf(next)).to.equal(Object.prototype)
    expect((next as { isAdmin?: boolean }).isAdmin).to.equal(undefined)
    expect(({} as { isAdmin?: boolean }).isAdmin).to.equal(undefined)
  })
  it('API-03 do not modify the record', () => {
    const current = Object.freeze({ a: 1, b: 2 })
    expect(applyChanges(current, [{ field: 'a', from: 1, to: null }])).to.deep.equal({ b: 2 })
    expect(current).to.deep.equal({ a: 1, b: 2 })
  })
  it('API-03 applied, give the record the requested values, with nothing left to change', () => {
    fc.assert(
      fc.property(record, record, (before, sent) => {
        const current = Object.fromEntries(filled(before))
        const changes = changesOf(current, sent)
        const next = applyChanges(current, changes)
        expect(changesOf(next, sent)).to.deep.equal([])
        expect(sameValue(next, Object.fromEntries(filled({ ...current, ...sent })))).to.equal(true)
        expect(sameValue(applyChanges(current, stored(changes)), next)).to.equal(true)
      }),
    )
  })
})
