/**
 * The rules of access packages and their requests in their simplest form: who must be asked, who has what, and until when.
 * Time is counted in whole hours, by which the tests move the clock.
 */

export interface ModelUser {
  readonly name: string
  readonly userId: string
  readonly email: string
  readonly manager: ModelUser | null
  status: 'active' | 'suspended' | 'deleted'
}

export interface ModelStage {
  /** The manager of the user, or these users. Without any of them, the owner of the packages decides. */
  readonly approvers: 'manager' | readonly ModelUser[]
  readonly mode: 'any' | 'all'
  readonly hours: number
}

export interface ModelPackage {
  readonly name: string
  readonly packageId: string
  /** Numbers of groups */
  readonly groups: readonly number[]
  readonly stages: readonly ModelStage[]
  readonly hours: number | null
  /** Names of packages */
  readonly incompatible: readonly string[]
  status: 'published' | 'archived'
}

export interface ModelAssignment {
  readonly assignmentId: string
  readonly user: ModelUser
  readonly of: ModelPackage
  readonly request: ModelRequest | null
  started: boolean
  readonly startsAt: number
  readonly endsAt: number | null
}

export interface ModelRequest {
  readonly requestId: string
  readonly user: ModelUser
  readonly of: ModelPackage
  readonly startsAt: number | null
  status: 'pending' | 'scheduled' | 'delivered' | 'failed' | 'denied' | 'cancelled' | 'expired'
  stage: number
  approvers: readonly ModelUser[]
  approvedBy: Set<ModelUser>
  deadline: number
  assignmentId: string | null
}

export class GovernanceModel {
  hour = 0
  readonly assignments: ModelAssignment[] = []
  readonly requests: ModelRequest[] = []
  readonly byHand: readonly Set<ModelUser>[]
  readonly users: readonly ModelUser[]
  readonly packages: readonly ModelPackage[]
  /** Owns all packages, and is always there. */
  readonly owner: ModelUser

  constructor(
    users: readonly ModelUser[],
    packages: readonly ModelPackage[],
    owner: ModelUser,
    groups: number,
  ) {
    this.users = users
    this.packages = packages
    this.owner = owner
    this.byHand = Array.from({ length: groups }, () => new Set<ModelUser>())
  }

  private isOver = ({ endsAt }: ModelAssignment): boolean => endsAt !== null && endsAt <= this.hour

  /** What the user has of the package, also later. */
  assignmentOf(user: ModelUser, of: ModelPackage): ModelAssignment | null {
    return this.assignments.find((one) => one.user === user && one.of === of && !this.isOver(one)) ?? null
  }

  isMember(user: ModelUser, group: number): boolean {
    if (user.status === 'deleted') return false
    return (
      this.byHand[group]?.has(user) === true ||
      this.assignments.some(
        (one) => one.user === user && one.started && !this.isOver(one) && one.of.groups.includes(group),
      )
    )
  }

  groupsOf(user: ModelUser): readonly number[] {
    return this.byHand.flatMap((_, group) => (this.isMember(user, group) ? [group] : []))
  }

  /** Who has the package now. */
  holdersOf(of: ModelPackage): readonly ModelUser[] {
    return this.assignments
      .filter((one) => one.of === of && one.started && !this.isOver(one))
      .map(({ user }) => user)
  }

  private incompatibleWith({ name, incompatible }: ModelPackage): readonly ModelPackage[] {
    return this.packages.filter(
      (other) => incompatible.includes(other.name) || other.incompatible.includes(name),
    )
  }

  /** Whether something keeps the user from the package: an incompatible one, or a group of one. */
  isExcluded(user: ModelUser, of: ModelPackage): boolean {
    return this.incompatibleWith(of).some(
      (other) =>
        this.assignmentOf(user, other) !== null ||
        other.groups.some((group) => !of.groups.includes(group) && this.isMember(user, group)),
    )
  }

  private approversOf({ user, of }: ModelRequest, stage: number): readonly ModelUser[] {
    const { approvers } = of.stages[stage - 1]!
    const named = approvers === 'manager' ? (user.manager === null ? [] : [user.manager]) : approvers
    const asked = named.filter((one) => one.status === 'active' && one !== user)
    return asked.length > 0 ? asked : [this.owner]
  }

  private open(request: ModelRequest, stage: number): void {
    request.stage = stage
    request.approvers = this.approversOf(request, stage)
    request.approvedBy = new Set()
    request.deadline = this.hour + request.of.stages[stage - 1]!.hours
  }

  private advance(request: ModelRequest): void {
    if (request.stage < request.of.stages.length) this.open(request, request.stage + 1)
    else this.deliver(request)
  }

  private deliver(request: ModelRequest): void {
    const { user, of, startsAt } = request
    if (user.status === 'deleted' || this.assignmentOf(user, of) !== null || this.isExcluded(user, of)) {
      request.status = 'failed'
      return
    }
    const isLater = startsAt !== null && startsAt > this.hour
    request.status = isLater ? 'scheduled' : 'delivered'
    this.give(user, of, request, of.hours, isLater ? startsAt : this.hour)
  }

  /** @param hours until it ends; null for no end */
  give(
    user: ModelUser,
    of: ModelPackage,
    request: ModelRequest | null,
    hours: number | null,
    startsAt = this.hour,
  ): void {
    this.endAll((one) => one.user === user && one.of === of)
    const endsAt = hours === null ? null : startsAt + hours
    const started = startsAt <= this.hour
    this.assignments.push({ assignmentId: '', user, of, request, started, startsAt, endsAt })
  }

  /** What ends before it has started was not delivered. */
  private endAll(is: (one: ModelAssignment) => boolean): void {
    for (const one of this.assignments.filter(is)) {
      this.assignments.splice(this.assignments.indexOf(one), 1)
      if (one.request !== null && !one.started) one.request.status = 'failed'
    }
  }

  end(assignment: ModelAssignment): void {
    this.endAll((one) => one === assignment)
  }

  request(user: ModelUser, of: ModelPackage, requestId: string, startsAt: number | null): void {
    const request: ModelRequest = {
      ...{ requestId, user, of, startsAt, status: 'pending', stage: 0, approvers: [], deadline: 0 },
      ...{ approvedBy: new Set<ModelUser>(), assignmentId: null },
    }
    this.requests.push(request)
    if (of.stages.length === 0) this.deliver(request)
    else this.open(request, 1)
  }

  /** What the API says to a request of a package. */
  answerToRequest(user: ModelUser, of: ModelPackage): 201 | 404 | 409 {
    const held = this.assignmentOf(user, of)
    if (held === null && of.status !== 'published') return 404
    const isAsked = this.requests.some(
      (one) => one.user === user && one.of === of && one.status === 'pending',
    )
    return held !== null || isAsked || this.isExcluded(user, of) ? 409 : 201
  }

  /** What the API says to a decision. */
  answerToDecision(request: ModelRequest, by: ModelUser, isApproval: boolean): readonly number[] {
    if (request.user === by) return [403]
    // Of a request that is decided, it does not say who could have decided it.
    if (request.status !== 'pending') return [403, 409]
    if (!request.approvers.includes(by)) return [403]
    if (request.deadline <= this.hour) return [409]
    if (!isApproval || request.approvedBy.has(by)) return [204]
    return this.isExcluded(request.user, request.of) ? [409] : [204]
  }

  approve(request: ModelRequest, by: ModelUser): void {
    if (request.approvedBy.has(by)) return
    request.approvedBy.add(by)
    const { mode } = request.of.stages[request.stage - 1]!
    if (mode === 'any' || request.approvers.every((one) => request.approvedBy.has(one))) this.advance(request)
  }

  /** The approvers are found again when one of them comes or goes. */
  setStatus(user: ModelUser, status: ModelUser['status']): void {
    user.status = status
    if (status === 'deleted') {
      for (const request of this.requests)
        if (request.user === user && request.status === 'pending') request.status = 'cancelled'
      this.endAll((one) => one.user === user)
      for (const members of this.byHand) members.delete(user)
    }
    for (const request of this.requests) {
      if (request.status !== 'pending' || request.deadline <= this.hour) continue
      const { approvers: named, mode } = request.of.stages[request.stage - 1]!
      const concerns =
        request.user === user ||
        request.approvers.includes(user) ||
        (named !== 'manager' && named.includes(user))
      if (!concerns) continue
      request.approvers = this.approversOf(request, request.stage)
      const isComplete =
        request.approvedBy.size > 0 &&
        (mode === 'any' || request.approvers.every((one) => request.approvedBy.has(one)))
      if (isComplete) this.advance(request)
    }
  }

  /** What the workers do when they run: starts, ends and deadlines that are due. */
  work(): void {
    this.endAll(this.isOver)
    for (const one of this.assignments.filter(({ started, startsAt }) => !started && startsAt <= this.hour)) {
      if (this.isExcluded(one.user, one.of)) this.end(one)
      else {
        one.started = true
        if (one.request !== null) one.request.status = 'delivered'
      }
    }
    for (const request of this.requests)
      if (request.status === 'pending' && request.deadline <= this.hour) request.status = 'expired'
  }

  /** Separation of duties: what must never be, unless groups are given by hand. */
  holdsIncompatible(user: ModelUser): boolean {
    return this.packages.some(
      (of) =>
        this.assignmentOf(user, of) !== null &&
        this.incompatibleWith(of).some((other) => this.assignmentOf(user, other) !== null),
    )
  }
}
