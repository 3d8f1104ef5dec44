/** Fields and schemas that several kinds have in the same form. */
import { Type, type TProperties } from 'typebox'
import { readSpan, writeSpan } from '../../../domain/network-zone/address.ts'
import { list, sorted, type Field, type KindName } from './kind.ts'

export const plain = (...names: readonly string[]): Readonly<Record<string, Field>> =>
  Object.fromEntries(names.map((name) => [name, {}]))

/** Ids of other records. */
export const references = (kind: KindName): Field => ({
  toFile: (value, { nameOf }) => sorted(list(value).map((id) => nameOf(kind, id))),
  toBody: (value, { idOf }) => list(value).map((name) => idOf(kind, name)),
  normal: sorted,
})

export const ranges: Field = {
  normal: (value) => [
    ...new Set(
      list(value).map((text) => {
        const span = readSpan(text)
        return span === null ? text : writeSpan(span)
      }),
    ),
  ],
}

/** Fields of a request, without those that files have in another form or not at all. */
export const without = (properties: TProperties, ...names: readonly string[]): TProperties =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)))

/** Fields that a file may omit: what it does not say stays as it is. */
export const optional = (properties: TProperties): TProperties =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]))
