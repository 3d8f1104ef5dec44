/** What each audit action is in OCSF, as the rows of the catalogue say. */
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

/** Every action that an entry of the audit trail can have; over SCIM it has another name and is the same. */
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

/** What an action is in OCSF; every action is something. */
export const ocsfKindOf = (action: string): OcsfKind =>
  own(ocsfActions, action) ?? own(verbs, action.slice(action.lastIndexOf('.') + 1)) ?? changed
