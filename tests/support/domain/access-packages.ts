import fc, { type Arbitrary } from 'fast-check'
import { plainPackage, type AccessPackageCommand } from '../../../domain/access-package/decider.ts'
import type { AccessRequestCommand } from '../../../domain/access-request/decider.ts'
import type { PackageAssignmentCommand } from '../../../domain/package-assignment/decider.ts'
import { at, id } from '../fixed.ts'
import { command, maybe, text } from './commands.ts'

// Random commands over few ids and moments, so that they often affect each other.
const few = fc.integer({ min: 1, max: 3 })
const moment = fc.integer({ min: 0, max: 9 }).map(at)
const packageId = few.map((n) => id('accessPackage', n))
const stages = fc.array(
  fc.record({
    approvers: fc.constant({ type: 'manager', ids: [] }),
    mode: fc.constantFrom('any', 'all'),
    timeoutHours: fc.constantFrom(1, 2),
    escalateTo: fc.constant(id('user', 9)),
    justificationRequired: fc.boolean(),
  }),
  { maxLength: 2 },
)

export const accessPackageCommands: Arbitrary<AccessPackageCommand> = fc.oneof(
  command<AccessPackageCommand>('create', {
    packageId,
    fields: fc.record({ name: text }).map(({ name }) => ({
      ...plainPackage,
      name,
      grants: [{ type: 'group', groupId: id('group') }],
    })),
  }),
  command<AccessPackageCommand>('update', {
    packageId,
    fields: fc.record({ name: text, description: fc.option(text) }, { requiredKeys: [] }),
  }),
  command<AccessPackageCommand>('publish', { packageId }),
  command<AccessPackageCommand>('archive', { packageId }),
  command<AccessPackageCommand>('delete', { packageId, assignments: fc.nat(1), requests: fc.nat(1) }),
)

const assignmentId = few.map((n) => id('packageAssignment', n))
const packageNames = fc.subarray([1, 2, 3]).map((some) => ({
  packages: some.map((n) => ({ packageId: id('accessPackage', n), name: 'x' })),
  held: [],
}))
const held = { userId: fc.constant(id('user')), packageId, now: moment }

export const packageAssignmentCommands: Arbitrary<PackageAssignmentCommand> = fc.oneof(
  command<PackageAssignmentCommand>('grant', {
    ...held,
    assignmentId,
    via: fc.constant('admin'),
    requestId: maybe(text),
    startsAt: maybe(moment),
    expiresAt: maybe(moment),
    incompatible: packageNames,
  }),
  command<PackageAssignmentCommand>('start', { ...held, assignmentId, incompatible: packageNames }),
  command<PackageAssignmentCommand>('extend', {
    ...held,
    assignmentId,
    requestId: maybe(text),
    expiresAt: fc.option(moment),
    incompatible: maybe(packageNames),
  }),
  command<PackageAssignmentCommand>('end', {
    ...held,
    assignmentId,
    requestId: maybe(text),
    reason: fc.constant('revoked'),
  }),
  command<PackageAssignmentCommand>('expire', { userId: held.userId, now: moment }),
)

const people = fc.subarray([1, 2, 3, 4].map((n) => id('user', n)))
const approvers = fc.record({
  approverIds: people,
  origin: fc.constantFrom('stage', 'escalation', 'owners', 'administrators'),
})
const person = few.map((n) => id('user', n))
const requestId = fc.constant(id('accessRequest'))
const decision = { requestId, approverId: person, eligible: people, now: moment }
const decidedBy = fc.record({ userId: person, isAdministrator: fc.boolean() })

export const accessRequestCommands: Arbitrary<AccessRequestCommand> = fc.oneof(
  command<AccessRequestCommand>('create', {
    requestId,
    request: fc.record({ requesterId: person, userId: person, stages }).map((made) => ({
      ...made,
      packageId: id('accessPackage'),
      packageName: 'x',
      requestType: 'grant',
      answers: {},
    })),
    approvers,
    now: moment,
  }),
  command<AccessRequestCommand>('approve', {
    ...decision,
    comment: maybe(text),
    nextApprovers: approvers,
    conflict: fc.constantFrom(null, 'conflict'),
  }),
  command<AccessRequestCommand>('deny', { ...decision, comment: text }),
  command<AccessRequestCommand>('reassign', { ...decision, from: decidedBy }),
  command<AccessRequestCommand>('resolve', {
    ...{ requestId, approvers, nextApprovers: approvers, eligible: people, now: moment },
  }),
  command<AccessRequestCommand>('remind', { requestId, now: moment }),
  command<AccessRequestCommand>('time_out', { requestId, escalation: approvers, now: moment }),
  command<AccessRequestCommand>('cancel', { requestId, by: fc.option(decidedBy) }),
  command<AccessRequestCommand>('schedule', { requestId, assignmentId }),
  command<AccessRequestCommand>('deliver', { requestId, assignmentId }),
  command<AccessRequestCommand>('fail', { requestId, error: text }),
  command<AccessRequestCommand>('retry', { requestId }),
)
