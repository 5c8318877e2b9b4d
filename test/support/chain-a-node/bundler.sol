// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.26;

/// Carries out the calls of many people in one transaction of its caller.
contract Bundler {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    receive() external payable {}

    function run(Call[] calldata calls) external payable {
        for (uint256 index = 0; index < calls.length; index++) {
            (bool isDone,) = calls[index].to.call{value: calls[index].value}(calls[index].data);
            require(isDone, "a call failed");
        }
    }
}
