/** What an agent offers in `session/request_permission` (ACP, tool calls). */
export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: string;
}
