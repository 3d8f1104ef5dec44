/** The OCSF class and activity of each audit action, from the rows of the catalogue. */
import { catalogue, rowOf, type EventType } from '../catalogue.ts'
import { own } from '../own.ts'
import { entityManagement, failed, low, type OcsfKind } from './ocsf-classes.ts'
import { asScimAction } from './scim-actions.ts'

const kindsOf = (type: EventType): readonly (readonly [action: string, kind: OcsfKind])[] => {
  const row = rowOf(type)
  if ('actions' in row) return Object.entries(row.actions)
  return row.audit === null ? [] : [[row.audit, row.ocsf]]
}

const ofEvents = (Object.keys(catalogue) as EventType[]).flatMap(kindsOf)

/** Every action that an audit entry can have. SCIM actions have other names and the same class. */
export const ocsfActions: Readonly<Record<string, OcsfKind>> = Object.fromEntries([
  ...ofEvents,
  ...ofEvents.map(([action, kind]) => [asScimAction(action), kind] as const),
])

/** For actions that only another version of the service knows, by their last word. */
const verbs: Readonly<Record<string, OcsfKind>> = {
  create: entityManagement('Create'),
  add: entityManagement('Create'),
  issue: entityManagement('Create'),
  generate: entityManagement('Create'),
  configure: entityManagement('Update'),
  update: entityManagement('Update'),
  change: entityManagement('Update'),
  rename: entityManagement('Update'),
  rotate: entityManagement('Update', low),
  delete: entityManagement('Delete', low),
  remove: entityManagement('Delete', low),
  revoke: entityManagement('Delete', low),
  expire: entityManagement('Deactivate'),
  retire: entityManagement('Deactivate'),
  cancel: entityManagement('Deactivate'),
  enable: entityManagement('Enable', low),
  disable: entityManagement('Disable', low),
  pause: entityManagement('Suspend'),
  suspend: entityManagement('Suspend', low),
  resume: entityManagement('Resume'),
  reactivate: entityManagement('Resume'),
  fail: entityManagement('Other', failed),
}

const changed = entityManagement('Update')

/** The OCSF class of an action; every action has one. */
export const ocsfKindOf = (action: string): OcsfKind =>
  own(ocsfActions, action) ?? own(verbs, action.slice(action.lastIndexOf('.') + 1)) ?? changed
