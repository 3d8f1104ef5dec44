/**
 * What OCSF 1.8.0 requires of the classes that the service exports: required attributes, constraints ("at least one",
 * "just one") and numbers, from the public schema at https://schema.ocsf.io/1.8.0/classes/<class>, which also defines
 * how `class_uid`, `activity_id` and `type_uid` are related.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'

type Schema = Readonly<Record<string, unknown>>

const text: Schema = { type: 'string', minLength: 1 }
const named = (...names: readonly string[]): Schema => ({
  anyOf: names.map((name) => ({ required: [name] })),
})
const object = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
})
const entityOf = (more: Readonly<Record<string, Schema>> = {}): Schema => ({
  ...object({ uid: text, name: text, ...more }),
  ...named('uid', 'name'),
})

const user: Schema = {
  ...object({
    uid: text,
    name: text,
    email_addr: text,
    type: text,
    type_id: { enum: [0, 1, 2, 3, 4, 99] },
    credential_uid: text,
  }),
  ...named('uid', 'name', 'account'),
  additionalProperties: false,
}
const session = object({ uid: text })
const resource = entityOf({ type: text })

/** Attributes of every event: base_event, metadata, product and iam. */
const base: Readonly<Record<string, Schema>> = {
  category_uid: { const: 3 },
  category_name: { const: 'Identity & Access Management' },
  class_name: text,
  activity_name: text,
  type_name: text,
  severity_id: { enum: [1, 2, 3, 4, 5] },
  severity: text,
  status_id: { enum: [1, 2, 99] },
  status: { enum: ['Success', 'Failure', 'Other'] },
  status_code: text,
  status_detail: text,
  time: { type: 'integer', minimum: 1_500_000_000_000, maximum: 5_000_000_000_000 },
  message: text,
  metadata: {
    ...object(
      {
        version: { const: '1.8.0' },
        uid: text,
        event_code: text,
        correlation_uid: text,
        log_name: text,
        original_time: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT' },
        product: {
          ...object({ name: text, vendor_name: text, version: text, url_string: text }),
          ...named('name', 'uid'),
        },
      },
      ['version', 'product', 'uid'],
    ),
    additionalProperties: false,
  },
  actor: {
    ...object({ user, session, app_name: text }),
    ...named('user', 'session', 'app_name'),
    additionalProperties: false,
  },
  src_endpoint: { ...object({ ip: text }), ...named('ip') },
  http_request: object({ user_agent: text }),
  unmapped: { type: 'object' },
}
const always = [
  ...['activity_id', 'category_uid', 'class_uid', 'metadata', 'severity_id', 'time', 'type_uid'],
  // Recommended by the schema; we guarantee them.
  ...['message', 'status_id', 'actor', 'unmapped'],
]

const eventClass = (
  uid: number,
  activities: readonly number[],
  own: Readonly<Record<string, Schema>>,
  required: readonly string[],
  constraint: Schema = {},
): Schema => ({
  type: 'object',
  properties: {
    ...base,
    ...own,
    class_uid: { const: uid },
    activity_id: { enum: [...activities, 99] },
    type_uid: { enum: [...activities, 99].map((activity) => uid * 100 + activity) },
  },
  required: [...always, ...required],
  additionalProperties: false,
  ...constraint,
})

const upTo = (most: number): readonly number[] => Array.from({ length: most }, (_, i) => i + 1)
const privileges: Schema = { type: 'array', items: text }
const group = entityOf()

const schemas: Readonly<Record<number, Schema>> = {
  3001: eventClass(3001, upTo(12), { user }, ['user']),
  3002: eventClass(
    3002,
    upTo(7),
    {
      user,
      session,
      service: entityOf(),
      is_mfa: { type: 'boolean' },
      is_remote: { type: 'boolean' },
      auth_factors: {
        type: 'array',
        items: object({ factor_type_id: { enum: [...upTo(11), 0, 99] }, factor_type: text }, [
          'factor_type_id',
        ]),
      },
    },
    ['user'],
    named('service', 'dst_endpoint'),
  ),
  3004: eventClass(
    3004,
    upTo(13),
    { entity: entityOf({ type: text, type_id: { enum: [...upTo(7), 0, 99] } }) },
    ['entity'],
  ),
  3005: eventClass(3005, [1, 2], { user, privileges, resources: { type: 'array', items: resource } }, [
    'privileges',
    'user',
  ]),
  3006: eventClass(3006, upTo(8), { group, user, privileges, resource }, ['group']),
}

const ajv = new Ajv2020({ allErrors: true, strict: false })
const validators = new Map(Object.entries(schemas).map(([uid, schema]) => [Number(uid), ajv.compile(schema)]))

/** The violations of the schema of the event's class; empty if there are none. */
export const ocsfProblems = (event: unknown): readonly string[] => {
  const { class_uid, activity_id, type_uid } = event as Readonly<Record<string, number>>
  const validate = validators.get(class_uid ?? 0)
  if (validate === undefined) return [`class_uid ${String(class_uid)} is unknown here`]
  validate(event)
  const odd =
    type_uid === (class_uid ?? 0) * 100 + (activity_id ?? 0)
      ? []
      : ['type_uid is not class_uid * 100 + activity_id']
  return [
    ...odd,
    ...(validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`),
  ]
}
