import { lazy, Suspense, useEffect } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { InboxScreen } from './inbox/inbox-screen.tsx';
import { RequestScreen } from './inbox/request-screen.tsx';
import { loadScreensWhenIdle, SCREEN_MODULES } from './screen-modules.ts';
import { SessionsScreen } from './sessions/sessions-screen.tsx';
import { NoSuchScreen } from './shell/no-such-screen.tsx';
import { ScreenFailure } from './shell/screen-failure.tsx';
import { ErrorBoundary } from './ui/error-boundary.tsx';
import { Loading } from './ui/loading.tsx';

const SessionScreen = lazy(SCREEN_MODULES.session);
const BoundariesScreen = lazy(SCREEN_MODULES.boundaries);
const BoundaryScreen = lazy(SCREEN_MODULES.boundary);
const ServersScreen = lazy(SCREEN_MODULES.servers);
const AgentsScreen = lazy(SCREEN_MODULES.agents);
const PolicyScreen = lazy(SCREEN_MODULES.policy);
const AuditScreen = lazy(SCREEN_MODULES.audit);

/** Which screen an address shows. What is not needed for the first one is loaded when it is opened, or when there is nothing else to do. */
export function Screens() {
  const [location] = useLocation();
  useEffect(loadScreensWhenIdle, []);
  return (
    <ErrorBoundary at={location} fallback={(error) => <ScreenFailure error={error} />}>
      <Suspense fallback={<Loading what="the screen" />}>
        <Switch>
          <Route path="/" component={InboxScreen} />
          <Route path="/requests/:id">{({ id }) => <RequestScreen key={id} id={id} />}</Route>
          <Route path="/sessions" component={SessionsScreen} />
          <Route path="/sessions/:id">{({ id }) => <SessionScreen key={id} id={id} />}</Route>
          <Route path="/boundaries" component={BoundariesScreen} />
          <Route path="/boundaries/:id">{({ id }) => <BoundaryScreen key={id} id={id} />}</Route>
          <Route path="/servers" component={ServersScreen} />
          <Route path="/agents" component={AgentsScreen} />
          <Route path="/policy" component={PolicyScreen} />
          <Route path="/audit" component={AuditScreen} />
          <Route>
            <NoSuchScreen />
          </Route>
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}
