/**
 * RFC 7644 §3.5.2: applies operations to a resource in memory, in order. Either all of them apply or, if an
 * error is thrown, none.
 */
import { own } from '../own.ts'
import { badRequest, ScimError } from './errors.ts'
import { isObject, readValue, type Attributes, type Complex, type Resource, type Value } from './normalise.ts'
import { parsePath, type Target } from './path.ts'
import { attributeOf, type Attribute, type ResourceType } from './schemas.ts'

export const PATCH_URN = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const MAX_OPERATIONS = 1000

type Op = 'add' | 'replace' | 'remove'

interface Operation {
  readonly op: Op
  readonly path: string | undefined
  readonly value: unknown
}

/** One change of one attribute. */
export interface Step {
  readonly op: Op
  readonly target: Target
  /** As sent; null or undefined unassigns */
  readonly value: unknown
}

const isOp = (op: string): op is Op => op === 'add' || op === 'replace' || op === 'remove'

const readOperation = (json: unknown, at: number): Operation => {
  const where = `Operations[${String(at)}]`
  if (!isObject(json)) throw badRequest('invalidSyntax', `${where}: expected an object`)
  const { op, path, value } = json
  const kind = typeof op === 'string' ? op.toLowerCase() : ''
  if (!isOp(kind)) throw badRequest('invalidSyntax', `${where}.op: expected add, replace or remove`)
  if (path !== undefined && path !== null && typeof path !== 'string')
    throw badRequest('invalidPath', `${where}.path: expected text`)
  const target = typeof path === 'string' && path !== '' ? path : undefined
  if (kind === 'remove' && target === undefined)
    throw badRequest('noTarget', `${where}.path: is missing; remove requires a path`)
  if (kind !== 'remove' && value === undefined) throw badRequest('invalidValue', `${where}.value: is missing`)
  return { op: kind, path: target, value }
}

const readOperations = (json: unknown): readonly Operation[] => {
  if (!isObject(json)) throw badRequest('invalidSyntax', 'The body must be a PatchOp as a JSON object.')
  const { schemas } = json
  const known = (urn: unknown) => typeof urn === 'string' && urn.toLowerCase() === PATCH_URN.toLowerCase()
  if (schemas !== undefined && !(Array.isArray(schemas) && schemas.some(known)))
    throw badRequest('invalidSyntax', `schemas: expected ${PATCH_URN}`)
  const operations: unknown = json['Operations'] ?? json['operations']
  if (!Array.isArray(operations) || operations.length === 0)
    throw badRequest('invalidSyntax', 'Operations: expected a list with at least one operation')
  if (operations.length > MAX_OPERATIONS)
    throw badRequest('tooMany', `Operations: expected at most ${String(MAX_OPERATIONS)} operations`)
  return operations.map(readOperation)
}

const isReadOnly = ({ attribute, sub }: Target): boolean => (sub ?? attribute).mutability === 'readOnly'

/**
 * RFC 7644 §3.5.2.2. Required attributes cannot be removed. All values of these lists can be: a derived value replaces
 * them.
 */
const isIndispensable = ({ attribute, sub }: Target): boolean =>
  sub === undefined && attribute.required && !attribute.multiValued

/** Returns the target of a key in a value without a path; nothing if it is unknown or read-only. */
const keyTarget = (type: ResourceType, key: string): Target | 'extension' | null => {
  try {
    const place = parsePath(type, key)
    return place === 'ignored' || (place !== 'extension' && isReadOnly(place)) ? null : place
  } catch (error) {
    if (error instanceof ScimError) return null
    throw error
  }
}

const extensionSteps = (type: ResourceType, op: Op, value: unknown): readonly Step[] => {
  const attributes = type.extension?.attributes ?? []
  if (op === 'remove')
    return attributes.map((attribute) => ({ op, target: { of: 'extension', attribute }, value }))
  if (!isObject(value)) throw badRequest('invalidValue', `${type.extension?.id ?? ''}: expected an object`)
  return Object.entries(value).flatMap(([name, each]): readonly Step[] => {
    const attribute = attributeOf(attributes, name)
    return attribute === undefined ? [] : [{ op, target: { of: 'extension', attribute }, value: each }]
  })
}

const stepsOf = (type: ResourceType, { op, path, value }: Operation): readonly Step[] => {
  if (path !== undefined) {
    const place = parsePath(type, path)
    if (place === 'ignored') return []
    if (place === 'extension') return extensionSteps(type, op, value)
    if (isReadOnly(place)) throw badRequest('mutability', `${path}: is read-only`)
    if (op === 'remove' && isIndispensable(place))
      throw badRequest('mutability', `${path}: is required; it can be replaced but not removed`)
    return [{ op, target: place, value }]
  }
  if (!isObject(value)) throw badRequest('invalidValue', 'value: expected an object when path is missing')
  return Object.entries(value).flatMap(([key, each]): readonly Step[] => {
    const place = keyTarget(type, key)
    if (place === null) return []
    return place === 'extension' ? extensionSteps(type, op, each) : [{ op, target: place, value: each }]
  })
}

/**
 * The changes of the operations in a PATCH body, in order.
 * @throws ScimError invalidSyntax, invalidPath, invalidFilter, invalidValue, noTarget, mutability, tooMany
 */
export const readSteps = (type: ResourceType, json: unknown): readonly Step[] =>
  readOperations(json).flatMap((operation) => stepsOf(type, operation))

const same = ({ caseExact }: Attribute, a: unknown, b: unknown): boolean =>
  typeof a === 'string' && typeof b === 'string' && !caseExact ? a.toLowerCase() === b.toLowerCase() : a === b

const without = (complex: Complex, name: string): Complex =>
  Object.fromEntries(Object.entries(complex).filter(([each]) => each !== name))

/** Returns a complex value with the sent parts changed; null removes a part. */
const merged = (attribute: Attribute, current: Complex, value: unknown): Complex => {
  const sent = readValue({ ...attribute, multiValued: false }, value) as Complex | undefined
  const cleared = Object.entries(isObject(value) ? value : {}).filter(
    ([, each]) => each === null || each === '',
  )
  const kept = cleared.reduce((all, [name]) => {
    const sub = attributeOf(attribute.subAttributes ?? [], name)
    return sub === undefined ? all : without(all, sub.name)
  }, current)
  return { ...kept, ...sent }
}

const withSub = (complex: Complex, sub: Attribute, op: Op, value: unknown): Complex => {
  const read = op === 'remove' ? undefined : (readValue(sub, value) as string | boolean | undefined)
  return read === undefined ? without(complex, sub.name) : { ...complex, [sub.name]: read }
}

const orNothing = (complex: Complex): Complex | undefined =>
  Object.keys(complex).length === 0 ? undefined : complex

const singleValue = ({ op, target, value }: Step, current: Value | undefined): Value | undefined => {
  const { attribute, sub } = target
  if (sub !== undefined) return orNothing(withSub((current ?? {}) as Complex, sub, op, value))
  if (op === 'remove') return undefined
  if (attribute.type !== 'complex' || current === undefined || !isObject(value))
    return readValue(attribute, value)
  return orNothing(merged(attribute, current as Complex, value))
}

/** RFC 7643 §2.4: at most one value is primary: the last one that was set. */
const onePrimary = (list: readonly Complex[], set: ReadonlySet<Complex>): readonly Complex[] =>
  [...set].some(({ primary }) => primary === true)
    ? list.map((each) => (set.has(each) || each['primary'] !== true ? each : without(each, 'primary')))
    : list

const wholeList = (
  { op, target: { attribute }, value }: Step,
  list: readonly Complex[],
): readonly Complex[] => {
  const sent = (readValue(attribute, value) ?? []) as readonly Complex[]
  if (op === 'replace') return sent
  const valueOf = attributeOf(attribute.subAttributes ?? [], 'value') ?? attribute
  const alike = (a: Complex) => (b: Complex) => same(valueOf, a['value'], b['value'])
  if (op === 'remove')
    return value === undefined || value === null ? [] : list.filter((each) => !sent.some(alike(each)))
  const others = list.filter((each) => !sent.some(alike(each)))
  return onePrimary([...others, ...sent], new Set(sent))
}

const someOfList = (step: Step, list: readonly Complex[]): readonly Complex[] => {
  const { op, target, value } = step
  const { attribute, sub, filter } = target
  const matches = (each: Complex): boolean =>
    filter === undefined || same(filter.sub, own(each, filter.sub.name), filter.value)
  if (op === 'remove' && sub === undefined) return list.filter((each) => !matches(each))
  const change = (each: Complex): Complex =>
    sub === undefined ? merged(attribute, each, value) : withSub(each, sub, op, value)
  const set = new Set<Complex>()
  const changed = list.map((each) => {
    if (!matches(each)) return each
    const next = change(each)
    set.add(next)
    return next
  })
  if (set.size > 0 || op === 'remove') return onePrimary(changed, set)
  if (op === 'replace' && filter?.sub.name === 'value')
    throw badRequest('noTarget', `${attribute.name}: no value matches ${JSON.stringify(filter.value)}`)
  // Entra ID replaces the work address of users who have none.
  const made = change(filter === undefined ? {} : { [filter.sub.name]: filter.value })
  return onePrimary([...list, made], new Set([made]))
}

const listValue = (step: Step, current: Value | undefined): Value | undefined => {
  const list = (current ?? []) as readonly Complex[]
  const { sub, filter } = step.target
  const next = sub === undefined && filter === undefined ? wholeList(step, list) : someOfList(step, list)
  return next.length === 0 ? undefined : next
}

/** @throws ScimError invalidValue */
export const applyStep = (resource: Resource, step: Step): Resource => {
  const { of, attribute } = step.target
  const { [attribute.name]: current, ...others } = resource[of]
  const next = attribute.multiValued ? listValue(step, current) : singleValue(step, current)
  const attributes: Attributes = next === undefined ? others : { ...others, [attribute.name]: next }
  return { ...resource, [of]: attributes }
}
