package kubelet

import (
	"reflect"
	"testing"
	"time"
)

func TestASettingIsChangedByNameAndListenersAreTold(t *testing.T) {
	s := NewSettings(Values{LoadBalancer: true})
	listener := s.Listen(t.Context())
	for key, value := range map[string]string{
		"load-balancer": "false", "gateway-ready-after": "5s", "connect": "true", "mute": "true",
		"pod-started-after": "3s", "pod-reported-after": "1s", "gateway-reported-after": "2s",
		"lost-nodes": "rome-node,rome-node-2",
	} {
		if err := s.Set(key, value); err != nil {
			t.Errorf("%s=%s: %v", key, value, err)
		}
	}
	want := Values{
		Connect: true, Mute: true, GatewayReadyAfter: 5 * time.Second, PodStartedAfter: 3 * time.Second,
		PodReportedAfter: time.Second, GatewayReportedAfter: 2 * time.Second, LostNodes: []string{"rome-node", "rome-node-2"},
	}
	if got := s.Get(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	select {
	case <-listener:
	default:
		t.Error("the listener was not told")
	}
}

func TestAWrongSettingChangesNothing(t *testing.T) {
	s := NewSettings(Values{LoadBalancer: true})
	for key, value := range map[string]string{
		"load-balancer": "perhaps", "pod-started-after": "soon", "gravity": "false",
	} {
		if err := s.Set(key, value); err == nil {
			t.Errorf("%s=%s was accepted", key, value)
		}
	}
	if got := s.Get(); !reflect.DeepEqual(got, Values{LoadBalancer: true}) {
		t.Errorf("got %+v", got)
	}
}
