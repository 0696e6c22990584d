/** Where a profile is held by a container engine, as the operator configured it. */
export interface ContainerEngine {
  readonly kind: 'docker' | 'podman';
  /** Absolute path of its client. */
  readonly program: string;
  /** Must be there already: nothing is pulled. Holds the programs and libraries that the process finds, and a shell. */
  readonly image: string;
  /** The whole environment of the client itself: HOME, DOCKER_HOST, XDG_RUNTIME_DIR and the like. */
  readonly env: Readonly<Record<string, string>>;
}
