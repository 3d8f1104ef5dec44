import { expect } from 'chai'
import { UnknownSchema, upcast, type Versions } from '../../adapters/engines/event-log/upcast.ts'

const rows: Readonly<Record<string, Versions>> = {
  'thing.named': {
    schema: 3,
    upcast: {
      1: ({ name, ...rest }) => ({ ...rest, title: name }),
      2: (data) => ({ ...data, tags: [] }),
    },
  },
  'thing.broken': { schema: 3, upcast: { 2: (data) => data } },
  'thing.young': { schema: 1 },
}

describe('Upcasting', () => {
  it('EVT-03 upcasts step by step to the current version', () => {
    expect(upcast('thing.named', 1, { id: 'a', name: 'A' }, rows)).to.deep.equal({
      id: 'a',
      title: 'A',
      tags: [],
    })
    expect(upcast('thing.named', 2, { id: 'a', title: 'A' }, rows)).to.deep.equal({
      id: 'a',
      title: 'A',
      tags: [],
    })
    expect(upcast('thing.named', 3, { id: 'a', title: 'A', tags: ['x'] }, rows)).to.deep.equal({
      id: 'a',
      title: 'A',
      tags: ['x'],
    })
  })

  it('EVT-03 does not modify the stored data', () => {
    const stored = Object.freeze({ id: 'a', name: 'A' })
    upcast('thing.named', 1, stored, rows)
    expect(stored).to.deep.equal({ id: 'a', name: 'A' })
    expect(upcast('thing.young', 1, stored, rows)).to.equal(stored)
  })

  it('EVT-03 rejects events of a newer release, with type and versions', () => {
    expect(() => upcast('thing.named', 4, {}, rows))
      .to.throw(UnknownSchema, /thing\.named: stored with schema 4, but this release supports 1 to 3/)
      .that.includes({ name: 'UnknownSchema', type: 'thing.named', stored: 4, known: 3 })
  })

  for (const schema of [0, -1, 1.5, Number.NaN, undefined as unknown as number])
    it(`EVT-03 rejects ${String(schema)}, which is not a schema version`, () => {
      expect(() => upcast('thing.named', schema, {}, rows)).to.throw(UnknownSchema)
    })

  it('EVT-03 reports where the catalogue lacks a step', () => {
    expect(() => upcast('thing.broken', 1, {}, rows)).to.throw(/thing\.broken: .* no upcast from schema 1/)
  })

  it('EVT-03 returns null for unknown types', () => {
    expect(upcast('thing.unknown', 1, {}, rows)).to.equal(null)
    expect(upcast('toString', 1, {}, rows)).to.equal(null)
    expect(upcast('no.such_type', 1, {})).to.equal(null)
  })

  it('EVT-03 reads the catalogue by default', () => {
    expect(upcast('user.enrolled', 1, { userId: 'usr_x' })).to.deep.equal({ userId: 'usr_x' })
    expect(() => upcast('user.enrolled', 99, {})).to.throw(UnknownSchema)
  })
})
